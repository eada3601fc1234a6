library(haven); library(foreign)
d <- read.csv("survey.csv", encoding = "UTF-8", colClasses = c(name = "character"))
d$visit <- as.Date(d$visit)
d$seen <- as.POSIXct(d$seen, format = "%Y-%m-%dT%H:%M:%S", tz = "UTC")
describe <- function(d) {
  attr(d$name, "label") <- "Name of the respondent"
  attr(d$age, "label") <- "Age in years"
  attr(d$height, "label") <- "Height (cm)"
  attr(d$region, "label") <- "Région"
  attr(d$visit, "label") <- "Day of the visit"
  d
}
d <- describe(d)
codes <- d$income
tagged <- as.double(codes)
tagged[which(codes == -999)] <- tagged_na("a")
tagged[which(codes == -998)] <- tagged_na("b")
d$sex <- labelled(as.double(d$sex), c(male = 1, female = 2), label = "Sex")

stata <- d
stata$income <- labelled(tagged, c(refused = tagged_na("a"), "does not know" = tagged_na("b")), label = "Monthly income")
write_dta(stata, "../haven.dta", version = 14, label = "Survey of Ada and others")

spss <- d
spss$income <- labelled_spss(as.double(codes), c(refused = -999, "does not know" = -998), na_range = c(-999, -998), label = "Monthly income")
write_sav(spss, "../haven.sav", compress = "byte")

sas <- d
sas$sex <- as.double(sas$sex)
sas$income <- tagged
sas$income[which(codes == -999)] <- tagged_na("A")
sas$income[which(codes == -998)] <- tagged_na("B")
write_xpt(sas, "../haven.xpt", version = 8, name = "SURVEY", label = "Survey of Ada and others")
write_xpt(sas, "../haven5.xpt", version = 5, name = "SURVEY")
suppressWarnings(write_sas(sas, "../haven.sas7bdat"))

old <- d
old$sex <- factor(codes <- as.integer(d$sex), labels = c("male", "female"))
old$income <- as.integer(read.csv("survey.csv")$income)
old$region <- iconv(old$region, "UTF-8", "latin1")
attr(old$region, "label") <- NULL
attr(old, "datalabel") <- "Survey of Ada and others"
old$seen <- NULL
write.dta(old, "../foreign.dta", version = 10L)
cat(R.version.string, as.character(packageVersion("haven")), as.character(packageVersion("foreign")), "\n")

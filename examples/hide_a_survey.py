"""Mask a survey in groups of five, and save the release with its plan and its report."""

from pathlib import Path

import shoal

people = shoal.datasets.survey()
release = shoal.microaggregate(
    people,
    ["age", "height", "weight", "years_of_education", "household_size"],
    k=5,
    within="region",
    identifiers=["person"],
    confidential=["income", "blood_pressure", "smoker"],
    homogeneity="merge",
)

folder = Path("hidden")
folder.mkdir(exist_ok=True)
release.data.to_csv(folder / "release.csv", index=False)
release.plan.save(folder / "plan.toml", force=True)
release.report(folder / "report.html", force=True)

print(release)
print("Before:", people.iloc[0].to_dict())
print("After: ", release.data.head(1).round(1).to_dict("records")[0])
print("Every record looks like", release.measures["smallest_class"] - 1, "others or more.")
print("Written:", *sorted(path.name for path in folder.iterdir()))

"""What the formats of Stata, SPSS and SAS share."""

"""Mask an SPSS file into a Stata file; labels come along, and refused answers stay missing."""

import subprocess
import sys
from pathlib import Path

import pyreadstat

import shoal

people = shoal.datasets.survey(200)
people["smoker"] = (people["smoker"] == "yes").astype(float)
people.loc[people.index[::40], "income"] = -9.0  # refused to answer
pyreadstat.write_sav(
    people,
    "survey.sav",
    column_labels={"age": "Age in years", "income": "Income in euros a year"},
    variable_value_labels={"smoker": {0.0: "no", 1.0: "yes"}, "income": {-9.0: "refused"}},
    missing_ranges={"income": [-9.0]},
)

options = ["-c", "age", "-c", "height", "-k", "5", "--within", "region", "-i", "person"]
options += [
    word for name in ("income", "blood_pressure", "smoker") for word in ("--confidential", name)
]
command = ["mask", "survey.sav", "release.dta", *options, "--force", "--quiet"]
subprocess.run([sys.executable, "-m", "shoal", *command], check=True, stderr=subprocess.DEVNULL)

data, metadata = pyreadstat.read_dta("release.dta", user_missing=True)
print(Path("release.dta").name, "has", len(data), "records; person is a column:", "person" in data)
print("Label of age:", metadata.column_names_to_labels["age"])
print("Labels of smoker:", metadata.variable_value_labels["smoker"])
print("Refused incomes that are missing in Stata, too:", int(data["income"].isna().sum()), "of 5")

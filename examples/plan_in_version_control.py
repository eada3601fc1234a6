"""Keep a plan as text, change one line, and see what changes in the release."""

import difflib
from pathlib import Path

import shoal

people = shoal.datasets.survey(300)
first_release = shoal.microaggregate(
    people,
    ["age", "height"],
    k=3,
    within="region",
    identifiers=["person"],
    confidential=["income", "blood_pressure", "smoker"],
)
first_release.plan.save("plan.toml", force=True)
plan_text = Path("plan.toml").read_text()

repeated_release = shoal.Plan.load("plan.toml").run(people)
print("The plan repeats the release:", repeated_release.data.equals(first_release.data))

Path("plan.toml").write_text(plan_text.replace("k = 3", "k = 10"))
second_release = shoal.Plan.load("plan.toml").run(people)
print(
    *difflib.unified_diff(plan_text.split("\n"), Path("plan.toml").read_text().split("\n"), n=0),
    sep="\n",
)
for release in (first_release, second_release):
    print(f"k = {release.plan.k}: {release.measures['information_loss']:.2f} % lost")

Path("plan.toml").write_text(plan_text.replace("within", "withiin"))
try:
    shoal.Plan.load("plan.toml")
except shoal.errors.PlanError as error:
    print("A typing error is not taken for a decision:", error)

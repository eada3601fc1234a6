"""Run several methods with several k on one table and show which are on the Pareto front."""

import shoal

people = shoal.datasets.survey(500)
quasi_identifiers = ["age", "height", "weight", "years_of_education"]
comparison = shoal.compare(
    people,
    quasi_identifiers,
    k=[3, 5, 10],
    method=["sorted", "mdav", "vmdav", "lloyd", "auto"],
    identifiers=["person"],
    confidential=["income", "blood_pressure", "smoker"],
)

print("method           k   loss %  at risk %")
for trial in sorted(comparison.done, key=lambda trial: trial.measures["information_loss"]):
    loss, risk = trial.measures["information_loss"], 100 * trial.measures["reidentification"]
    mark = "on the Pareto front" if trial in comparison.front else ""
    print(f"{trial.method:15}{trial.plan.k:3}{loss:9.2f}{risk:11.1f}   {mark}")
print(f"recommended: {comparison.recommended.method}, k = {comparison.recommended.plan.k}")
print(comparison.reason)

"""Mask a long Parquet table in blocks of near records, and compare with masking it at once."""

import time
from pathlib import Path

import pyarrow.parquet as pq

import shoal

people = shoal.datasets.survey(20_000, kind="pyarrow")
pq.write_table(people, "survey.parquet")
quasi_identifiers = ["age", "height", "weight", "years_of_education", "household_size"]
roles = {"identifiers": ["person"], "confidential": ["income", "blood_pressure", "smoker"]}

table = pq.read_table("survey.parquet")
shoal.microaggregate(
    table.slice(0, 5000), quasi_identifiers, k=10, **roles, block_size=2000
)  # compiles
for name, options in {
    "all at once": {"method": "mdav"},
    "in blocks of 2,000": {"method": "mdav", "block_size": 2000, "seams": "keep"},
    "in blocks, seams refined": {"method": "mdav", "block_size": 2000},
}.items():
    start = time.process_time()
    release = shoal.microaggregate(
        table, quasi_identifiers, k=10, within="region", **roles, **options
    )
    seconds = time.process_time() - start
    print(
        f"{name:26}{release.measures['information_loss']:6.2f} % lost, {seconds:5.2f} s of CPU time"
    )

pq.write_table(release.data, "release.parquet")
megabytes = Path("release.parquet").stat().st_size / 1e6
print(f"release.parquet: {megabytes:.1f} MB, {release.data.num_rows} records")

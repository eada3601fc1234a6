"""Mask numbers, an order, a hierarchy of places and dates in one step."""

import numpy as np
import pandas as pd

import shoal

rng = np.random.default_rng(1)
n_records = 300
towns = {"Porto": "north", "Braga": "north", "Faro": "south", "Beja": "south"}
people = pd.DataFrame(
    {
        "age": rng.integers(18, 90, n_records),
        "school": rng.choice(["none", "school", "college"], n_records, p=[0.2, 0.5, 0.3]),
        "town": rng.choice(list(towns), n_records),
        "moved_in": pd.Timestamp("2000-01-01")
        + pd.to_timedelta(rng.integers(0, 9000, n_records), "D"),
        "rent": rng.lognormal(6.3, 0.4, n_records).round(),
    }
)
release = shoal.microaggregate(
    people,
    ["age", "school", "town", "moved_in"],
    k=5,
    confidential=["rent"],
    types={
        "school": {"kind": "ordinal", "order": ["none", "school", "college"]},
        "town": {"kind": "nominal", "hierarchy": [list(pair) for pair in towns.items()]},
    },
)
print(release)
print(pd.concat({"before": people.head(4), "after": release.data.head(4)}).to_string())
unchanged_shares = {
    name: (people[name] == release.data[name]).mean() for name in ("school", "town")
}
print({name: f"{share:.0%} unchanged" for name, share in unchanged_shares.items()})

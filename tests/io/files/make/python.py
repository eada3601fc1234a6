"""Write survey.csv with DuckDB, polars and pandas: python python.py."""

import pandas as pd
import polars as pl


def main() -> None:
    """Write the files, one folder above."""
    import duckdb  # nobody else needs it

    typed = "SELECT * REPLACE (age::UTINYINT AS age, height::DECIMAL(5, 2) AS height)"
    duckdb.sql(f"{typed} FROM 'survey.csv'").write_parquet("../duckdb.parquet", compression="zstd")

    frame = pl.read_csv("survey.csv", try_parse_dates=True).with_columns(
        pl.col("region").cast(pl.Categorical)
    )
    frame.write_parquet("../polars.parquet")
    frame.write_ipc("../polars.arrow", compression="zstd")

    indexed = pd.read_csv("survey.csv", parse_dates=["visit", "seen"]).set_index("name")
    indexed.attrs["source"] = "the register of Ada"
    indexed.to_parquet("../pandas.parquet")
    indexed.reset_index().to_feather("../pandas.feather")
    indexed.reset_index().to_stata(
        "../pandas.dta",
        write_index=False,
        version=117,
        data_label="Survey of Ada and others",
        variable_labels={"age": "Age in years"},
        convert_dates={"visit": "td", "seen": "tc"},
        value_labels={"sex": {1: "male", 2: "female"}},
    )


if __name__ == "__main__":
    main()

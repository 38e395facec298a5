"""Makes parquet/: the ways of writing the same completions that are read, and those that are refused by name.

Run: python make_parquet.py    (pyarrow 25)
"""
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

OUT = Path(__file__).parent / "parquet"


def main():
    OUT.mkdir(exist_ok=True)
    n = 6
    table = pa.table(
        {
            "step": pa.array([3] * n, pa.int64()),
            "prompt": ["Where is the cable?"] * 3 + ["Who locked the door?"] * 3,
            "completion": [f"It is answer {k}, ünïcode 点 included." for k in range(n)],
            "accuracy": pa.array([1.0, 0.0, None, 0.5, float("nan"), 1.0], pa.float64()),
            "flag": [True, False, True, True, False, True],
            "comment": ["a", None, "c", "d", "e", "f"],
            "parts": [[1, 2], [], None, [3], [4], [5, 6]],
            "advantage": pa.array([0.0] * n, pa.float64()),
        }
    )
    base = dict(data_page_version="1.0")
    pq.write_table(table, OUT / "snappy.parquet", **base)
    pq.write_table(table, OUT / "plain.parquet", compression="NONE", use_dictionary=False, **base)
    pq.write_table(table, OUT / "dictionary.parquet", compression="NONE", **base)
    pq.write_table(table, OUT / "gzip.parquet", compression="GZIP", **base)
    pq.write_table(table, OUT / "zstd.parquet", compression="ZSTD", **base)
    pq.write_table(table, OUT / "groups.parquet", row_group_size=2, **base)
    pq.write_table(table, OUT / "brotli_refused.parquet", compression="BROTLI", **base)
    pq.write_table(table, OUT / "pages2_refused.parquet", data_page_version="2.0")
    pq.write_table(table, OUT / "delta_refused.parquet", use_dictionary=False, column_encoding={"completion": "DELTA_BYTE_ARRAY"}, **base)
    pq.write_table(table.drop_columns(["prompt"]), OUT / "no_prompt_refused.parquet", **base)


main()

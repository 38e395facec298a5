"""Makes parquet/: the ways of writing the same completions that are read, and those that are refused by name.

Run: python make_parquet.py    (pyarrow 25)
"""
import json
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
    write_record()


def write_record():
    """A reward-lens record of one group whose tables are parquet, as its manifest says."""
    run = OUT.parent / "reward-lens" / "runs" / "run_1"
    part = run / "steps" / "step_range=000000-000099"
    part.mkdir(parents=True, exist_ok=True)
    values = [1.0, None, 0.5]
    ids = [f"traj:{k}" for k in range(3)]
    leaf = lambda v: {"__type__": "reward_lens.record.scores.Leaf", "fields": {"name": "r", "value": v, "grader_call": None, "abstained": v is None}}
    keys = lambda k: {"run_id": "run:1", "step_index": 4, "group_id": "grp:0", "trajectory_id": ids[k]}
    write = lambda name, rows: pq.write_table(pa.Table.from_pylist(rows), part / f"{name}.parquet", data_page_version="1.0")
    write("trajectories", [{**keys(k), "n_turns": 2, "advantage": 0.0 if v is None else (v - 0.75) / (0.125**0.5 + 1e-4), "payload": json.dumps({"scores": leaf(v), "features": {}})} for k, v in enumerate(values)])
    write("turns", [{**keys(k), "turn_index": t, "role": role, "text": f"{role} {k}", "payload": json.dumps({"role": role, "text": f"{role} {k}", "token_ids": [k, t]})} for k in range(3) for t, role in enumerate(["user", "assistant"])])
    estimator = {"group_centred": True, "std_normalised": True, "std_epsilon": 1e-4, "std_ddof": 1}
    write("groups", [{"group_id": "grp:0", "payload": json.dumps({"estimator": estimator})}])
    manifest = {"run_id": "run:1", "format": "parquet", "partitions": [{"name": part.name}], "counts": {"trajectories": 3, "turns": 6}}
    (run / "manifest.json").write_text(json.dumps(manifest) + "\n")


main()

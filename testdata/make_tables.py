"""Writes testdata/tables/: small tables as NumPy, pyarrow and pandas make them.

Every file holds some columns of one table of 7 rows; testdata/tables/expected.json says which
columns, their means and their second moments (X'X / n), computed here by NumPy alone.
Run: python testdata/make_tables.py   (needs numpy, pandas, pyarrow)
"""

import decimal
import json
import pathlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

folder = pathlib.Path(__file__).parent / "tables"
folder.mkdir(exist_ok=True)
rng = np.random.default_rng(20261115)
n = 7
x = rng.normal(size=(n, 3)).round(6) + [0.0, 100.0, -3.0]
integers = rng.integers(-50, 50, size=n)
flags = np.array([True, False, True, True, False, False, True])
expected = {}


def expect(name, names, columns, rows=None):
    values = np.column_stack([np.asarray(c, dtype=np.float64) for c in columns])
    kept = values[~np.isnan(values).any(axis=1)]
    expected[name] = {
        "names": names,
        "rows": len(kept),
        "rows_dropped": len(values) - len(kept),
        "mean": kept.mean(axis=0).tolist(),
        "second_moments": (kept.T @ kept / len(kept)).tolist(),
    }


# Plain, with every width of integer, floats of 32 bits and booleans.
plain = pa.table({
    "a": x[:, 0], "b": x[:, 1].astype(np.float32), "i8": integers.astype(np.int8),
    "u16": (integers + 50).astype(np.uint16), "i32": integers.astype(np.int32),
    "i64": integers, "flag": flags,
})
columns = [plain[c].to_numpy() for c in plain.column_names]
pq.write_table(plain, folder / "types.parquet", compression="none", row_group_size=3)
expect("types.parquet", plain.column_names, columns)
pq.write_table(plain, folder / "zstd.parquet", compression="zstd", data_page_version="2.0")
expect("zstd.parquet", plain.column_names, columns)
with pa.ipc.new_file(folder / "types.arrow", plain.schema) as writer:
    writer.write_table(plain, max_chunksize=3)
expect("types.arrow", plain.column_names, columns)
with pa.ipc.new_stream(folder / "stream.arrows", plain.schema) as writer:
    writer.write_table(plain, max_chunksize=2)
expect("stream.arrows", plain.column_names, columns)
feather.write_feather(plain, str(folder / "lz4.feather"), compression="lz4")
expect("lz4.feather", plain.column_names, columns)

# Nullable integers by pandas, NaN and null, and a dictionary of numbers.
frame = pd.DataFrame({
    "k": pd.array([1, None, 3, 4, 5, 6, 7], dtype="Int64"),
    "f": [0.5, 1.5, np.nan, 3.5, 4.5, 5.0, 7.5],
    "g": x[:, 2],
})
frame.to_parquet(folder / "nullable.parquet")
gaps = [frame["k"].to_numpy(dtype=float, na_value=np.nan), frame["f"], frame["g"]]
expect("nullable.parquet", list(frame.columns), gaps)
coded = pa.table({
    "level": pa.array([1.5, 2.5, 1.5, 1.5, 2.5, 3.5, 3.5]).dictionary_encode(), "g": x[:, 2],
})
pq.write_table(coded, folder / "dictionary.parquet")
expect("dictionary.parquet", coded.column_names, [coded["level"].cast(pa.float64()).to_numpy(), x[:, 2]])
feather.write_feather(coded, str(folder / "dictionary.feather"), compression="zstd")
expected["dictionary.feather"] = expected["dictionary.parquet"]

# Numbers that are stored as fixed counts of bytes, and those of the other types; with gaps, and in
# every encoding.
cents = rng.integers(-9999, 9999, size=n)
narrow = [None if i == 2 else decimal.Decimal(int(c)).scaleb(-2) for i, c in enumerate(cents)]
numbers = pa.table({
    "narrow": pa.array(narrow, pa.decimal128(7, 2)),
    "wide": pa.array([c and c.scaleb(-5) for c in narrow], pa.decimal128(38, 7)),
    "widest": pa.array([c and c.scaleb(-9) for c in narrow], pa.decimal256(60, 11)),
    "half": pa.array((integers / 4).astype(np.float16)),
    "u8": (integers + 50).astype(np.uint8), "u32": (integers + 50).astype(np.uint32),
    "u64": (integers + 50).astype(np.uint64), "i16": integers.astype(np.int16),
    "thousands": pa.array([1000 * int(i) for i in integers], pa.decimal128(9, 0)),
})
hundredths = np.where(np.arange(n) == 2, np.nan, cents / 1e2)
columns = [
    hundredths, hundredths / 1e5, hundredths / 1e9, integers / 4, integers + 50, integers + 50,
    integers + 50, integers, 1000 * integers,
]
for name, options in {
    "numbers.parquet": {"use_dictionary": False, "data_page_version": "2.0"},
    "encodings.parquet": {
        "use_dictionary": False,
        "column_encoding": {
            "narrow": "BYTE_STREAM_SPLIT", "wide": "DELTA_BYTE_ARRAY", "u8": "DELTA_BINARY_PACKED",
            "u64": "DELTA_BINARY_PACKED", "half": "BYTE_STREAM_SPLIT",
        },
    },
    "dictionaries.parquet": {"write_page_checksum": True, "compression": "gzip"},
}.items():
    pq.write_table(numbers, folder / name, **options)
    expect(name, numbers.column_names, columns)
feather.write_feather(numbers, str(folder / "numbers.feather"), compression="uncompressed")
expect("numbers.feather", numbers.column_names, columns)

# A column of text beside numbers.
mixed = pa.table({"a": x[:, 0], "city": ["Ulm"] * n, "b": x[:, 1]})
pq.write_table(mixed, folder / "text.parquet")

# Text as pandas writes it.
frame.to_csv(folder / "pandas.csv", index=False)
expected["pandas.csv"] = expected["nullable.parquet"]
frame.to_csv(folder / "semicolon.csv", index=False, sep=";", na_rep="NA", lineterminator="\r\n")
expected["semicolon.csv"] = expected["nullable.parquet"]
np.savetxt(folder / "spaces.txt", x, fmt="%.18e")
expect("spaces.txt", ["x1", "x2", "x3"], list(x.T))

# NumPy.
for name, array in {
    "c.npy": x, "fortran.npy": np.asfortranarray(x), "big-endian.npy": x.astype(">f8"),
    "f4.npy": x.astype("<f4"), "i2.npy": x.astype("<i2"), "u1.npy": (x + 10).astype("u1"),
    "bool.npy": x > [0.0, 100.0, -3.0], "fortran-big-i4.npy": np.asfortranarray(x.astype(">i4")),
}.items():
    np.save(folder / name, array)
    expect(name, ["x1", "x2", "x3"], list(array.T))
np.save(folder / "vector.npy", x[:, 0])
np.save(folder / "cube.npy", x.reshape(7, 3, 1))
np.save(folder / "object.npy", np.array([[1, "a"], [2, "b"]], dtype=object), allow_pickle=True)
np.save(folder / "complex.npy", x[:, :2].astype(complex))

(folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")

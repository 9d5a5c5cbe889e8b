"""What nocurl accepts is what pyarrow, NumPy and Python's csv read: made-up files, some damaged.

Set NOCURL_DIFFERENTIAL to make more of them.
"""

import csv
import io
import json
import os
import random
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import nocurl

NOCURL = os.environ["NOCURL"]
FILES = int(os.environ.get("NOCURL_DIFFERENTIAL", "150"))
MISSING = {"", "na", "n/a", "nan", "null", "?", "-"}
TYPES = [pa.float64(), pa.float32(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8()]
TYPES += [pa.uint16(), pa.uint32(), pa.bool_(), pa.decimal128(9, 2)]


def ours(path):
    """Rows without gaps, means and names; nothing if the file is refused in one line."""
    try:
        moments = nocurl.Moments.of(str(path), missing="drop")
    except (ValueError, OSError) as error:
        assert "\n" not in str(error)
        return None
    return moments.rows, np.asarray(moments.mean), list(moments.names)


def complete(columns):
    """The same of columns of floats, in which NaN is missing; nothing if it is no table to us."""
    values = np.column_stack(columns).astype(float)
    values = values[~np.isnan(values).any(axis=1)]
    return len(values), values


def agree(found, columns, names, what):
    rows, values = complete(columns)
    assert found[0] == rows, what
    assert found[2] == list(names), what
    if np.abs(values).max() < 1e150:
        size = np.abs(values).max(axis=0)
        assert (np.abs(found[1] - values.mean(axis=0)) <= 1e-9 * size).all(), what


def column(chance, rows):
    kind = chance.choice(TYPES)
    nullable = chance.random() < 0.3
    few = chance.random() < 0.3

    def value():
        if nullable and chance.random() < 0.1:
            return None
        if kind == pa.bool_():
            return chance.random() < 0.5
        number = chance.randrange(5 if few else 100)
        if pa.types.is_decimal(kind):
            import decimal

            return decimal.Decimal(number) / 4
        return number + 0.25 if pa.types.is_floating(kind) else number

    return pa.array([value() for _ in range(rows)], kind)


def table(chance):
    rows = chance.choice([2, 3, 50, 300])
    columns = [column(chance, rows) for _ in range(chance.randrange(2, 6))]
    return pa.table(columns, names=[f"v{i}" for i in range(len(columns))])


def damaged(chance, data):
    data = bytearray(data)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(data))
        how = chance.randrange(3)
        if how == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif how == 1:
            data[at] = chance.randrange(256)
        else:
            del data[at : at + chance.randrange(1, 9)]
    return bytes(data)


def numbers(read):
    """Columns of an Arrow table as floats."""
    return [np.array([np.nan if x is None else float(x) for x in c.to_pylist()]) for c in read.columns]


def check_arrow(path, data, read, what, made=None):
    """Holds a file against pyarrow; that of `made` must be read if two rows have no gaps."""
    path.write_bytes(data)
    found = ours(path)
    if found is None:
        assert made is None or complete(numbers(made))[0] < 2, f"{what} is refused"
        return
    try:
        reference = read(path)
        reference.validate()
    except Exception as error:  # whatever it is: what is accepted here must be read there
        pytest.fail(f"{what}: accepted here, but pyarrow says {error}")
    agree(found, numbers(reference), reference.column_names, what)


def test_parquet(tmp_path):
    for seed in range(FILES):
        chance = random.Random(seed)
        made, target = table(chance), io.BytesIO()
        pq.write_table(
            made,
            target,
            compression=chance.choice(["none", "snappy", "gzip", "zstd", "lz4", "brotli"]),
            use_dictionary=chance.random() < 0.5,
            data_page_version=chance.choice(["1.0", "2.0"]),
            data_page_size=chance.choice([64, 1000, 1 << 20]),
            row_group_size=chance.choice([7, 100, 1000]),
            write_page_checksum=chance.random() < 0.7,
            store_schema=chance.random() < 0.5,
        )
        data = target.getvalue()
        path = tmp_path / "t.parquet"
        # pyarrow verifies checksums only if it is told to.
        read = lambda path: pq.read_table(path, page_checksum_verification=True)  # noqa: E731
        check_arrow(path, data, read, f"parquet {seed}", made)
        check_arrow(path, damaged(chance, data), read, f"damaged parquet {seed}")


def test_arrow(tmp_path):
    for seed in range(FILES):
        chance = random.Random(seed)
        stream = chance.random() < 0.5
        kind = pa.ipc.new_stream if stream else pa.ipc.new_file
        opened = pa.ipc.open_stream if stream else pa.ipc.open_file
        options = pa.ipc.IpcWriteOptions(compression=chance.choice([None, "lz4", "zstd"]))
        made, target = table(chance), io.BytesIO()
        with kind(target, made.schema, options=options) as writer:
            writer.write_table(made, max_chunksize=chance.choice([10, 1000]))
        path = tmp_path / ("t.arrows" if stream else "t.arrow")
        read = lambda path: opened(pa.py_buffer(path.read_bytes())).read_all()  # noqa: E731
        check_arrow(path, target.getvalue(), read, f"arrow {seed}", made)
        data = damaged(chance, target.getvalue())
        check_arrow(path, data, read, f"damaged arrow {seed}")


def test_npy(tmp_path):
    path = tmp_path / "t.npy"
    for seed in range(FILES):
        chance = random.Random(seed)
        kind = chance.choice(["<f8", ">f8", "<f4", "<i8", ">i2", "u1", "?", "<u4", "<c16", "<f2"])
        shape = (chance.randrange(2, 40), chance.randrange(2, 5))
        values = np.array([[chance.randrange(100) for _ in range(shape[1])] for _ in range(shape[0])])
        order = chance.choice("CF")
        np.save(path, np.asarray(values.astype(kind), order=order))
        data = path.read_bytes()
        for bytes_, what in [(data, "npy"), (damaged(chance, data), "damaged npy")]:
            path.write_bytes(bytes_)
            found = ours(path)
            if found is not None:
                read = np.load(path).astype(float)
                agree(found, list(read.T), [f"x{j + 1}" for j in range(read.shape[1])], (what, seed))
            elif what == "npy":
                assert kind in {"<c16", "<f2"}, f"{kind} is refused"


CELLS = ["1", "2.5", "-3e4", "0", "", "NA", '"7"', '"a,b"', '"x\ny"', '"', '""', ' 4 ', "O\"Neil"]
CELLS += ['"p"q', "é", "-", "1e5", '"x""y"', "nan"]


def learnt(path):
    """As `ours`, by the command line, which can leave out a column."""
    output = path.with_suffix(".json")
    arguments = ["learn", path, "--drop", "note", "--missing", "drop", "--no-diagnosis", "-q"]
    result = subprocess.run([NOCURL, *arguments, "--output", output], capture_output=True)
    if result.returncode != 0:
        assert result.returncode == 2, result.stderr
        assert result.stderr.count(b"\n") == 1, result.stderr
        return None
    document = json.loads(output.read_text())
    return document["input"]["rows"], np.asarray(document["means"]), document["variables"]


def test_csv(tmp_path):
    path = tmp_path / "t.csv"
    accepted = 0
    for seed in range(FILES):
        chance = random.Random(seed)
        columns, odd = chance.randrange(2, 5), chance.choice([0.02, 0.2])
        end = chance.choice(["\n", "\r\n"])
        lines = [",".join(f"v{j}" for j in range(columns)) + ",note"]
        for _ in range(chance.randrange(2, 12)):
            cells = [
                chance.choice(CELLS) if chance.random() < odd else str(chance.randrange(90) / 4)
                for _ in range(columns)
            ]
            lines.append(",".join([*cells, chance.choice([*CELLS, "n", "n"])]))
        text = end.join(lines) + chance.choice(["", end])
        path.write_bytes(text.encode())
        found = learnt(path)
        if found is None:
            continue
        accepted += 1
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), skipinitialspace=True) if row]
        cells = [[cell.strip() for cell in row[:columns]] for row in rows[1:]]
        try:
            values = [[np.nan if c.lower() in MISSING else float(c) for c in row] for row in cells]
        except ValueError:  # a column of words: levels, which other tests look at
            continue
        agree(found, list(zip(*values)), rows[0][:columns], (seed, text))
    assert accepted > FILES // 10

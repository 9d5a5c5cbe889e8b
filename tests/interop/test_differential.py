"""What nocurl accepts is what pyarrow, NumPy, openpyxl and Python's own modules (csv, gzip, bz2, json)
read: made-up files, some damaged.

Set NOCURL_DIFFERENTIAL to make more of them.
"""

import bz2
import csv
import gzip
import io
import json
import math
import os
import random
import subprocess

import numpy as np
import openpyxl
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
    if rows and np.abs(values).max() < 1e150:
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


def plain_text(chance):
    """A table of numbers as text, and the numbers."""
    rows = [[chance.randrange(400) / 4 for _ in range(3)] for _ in range(chance.choice([2, 20, 400]))]
    return "a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def zstandard(data):
    return pa.Codec("zstd").compress(data, asbytes=True)


def unpacked_zstandard(path):
    with pa.input_stream(str(path), compression="zstd") as stream:
        return stream.read()


PACKINGS = {
    "gz": (gzip.compress, lambda path: gzip.decompress(path.read_bytes())),
    "bz2": (bz2.compress, lambda path: bz2.decompress(path.read_bytes())),
    "zst": (zstandard, unpacked_zstandard),
}


@pytest.mark.parametrize("ending", PACKINGS)
def test_packed_text(tmp_path, ending):
    pack, unpack = PACKINGS[ending]
    path = tmp_path / f"t.csv.{ending}"
    for seed in range(FILES):
        chance = random.Random(seed)
        text = plain_text(chance).encode()
        data = pack(text)
        for bytes_, whole in [(data, True), (damaged(chance, data), False)]:
            path.write_bytes(bytes_)
            found = ours(path)
            if found is None:
                assert not whole, f"{ending} {seed} is refused"
                continue
            try:
                read = unpack(path).decode("latin-1")
            except Exception as error:  # whatever it is: what is accepted here must be read there
                pytest.fail(f"{ending} {seed}: accepted here, but Python says {error}")
            rows = list(csv.reader(io.StringIO(read, newline="")))
            try:
                columns = list(zip(*[[float(cell) for cell in row] for row in rows[1:]]))
            except ValueError:  # damage that no checksum tells has made a word of a number
                assert not whole
                continue
            # `1_5` is a word here, and a column without a name holds the names of rows.
            if "_" in read or len(rows[0]) != len(columns):
                continue
            agree(found, columns, rows[0], (ending, seed))


def test_json_lines(tmp_path):
    path = tmp_path / "t.jsonl"
    cells = [1, 2.5, -3e4, 0, 0.1, 1e-300, None, 12345678901234567]
    accepted = 0
    for seed in range(FILES):
        chance = random.Random(seed)
        objects = []
        for _ in range(chance.choice([2, 5, 60])):
            odd = chance.random() < 0.1
            values = [chance.choice(cells) if odd else chance.randrange(400) / 4 for _ in "abc"]
            pairs = list(zip("abc", values))
            chance.shuffle(pairs)
            objects.append(dict(pairs[: 2 + (chance.random() < 0.95)]))
        text = "".join(json.dumps(item) + chance.choice(["\n", "\r\n", "\n\n"]) for item in objects)
        for bytes_ in [text.encode(), damaged(chance, text.encode())]:
            path.write_bytes(bytes_)
            found = ours(path)
            if found is None:
                continue
            accepted += 1
            lines = bytes_.decode().splitlines() if b"\x85" not in bytes_ else []
            try:
                read = [json.loads(line) for line in lines if line.strip()]
            except ValueError as error:
                pytest.fail(f"jsonl {seed}: accepted here, but Python says {error}: {bytes_!r}")
            # Damage can make words, lists or names of cells, which other tests look at.
            known = [value for item in read for value in item.values()]
            if any(isinstance(value, (str, bool, list, dict)) for value in known):
                continue
            names = found[2]
            number = lambda x: math.nan if x is None else float(x)  # noqa: E731
            columns = [[number(item.get(name)) for item in read] for name in names]
            agree(found, columns, names, ("jsonl", seed, bytes_))
    assert accepted > FILES // 4


def test_xlsx(tmp_path):
    path = tmp_path / "t.xlsx"
    accepted = 0
    for seed in range(max(FILES // 3, 20)):
        chance = random.Random(seed)
        book = openpyxl.Workbook()
        sheet = book.active
        left, top = chance.randrange(1, 4), chance.choice([1, 1, 3])
        for column, name in enumerate("abc"):
            sheet.cell(top, left + column, name)
        for row in range(chance.choice([2, 12, 120])):
            for column in range(3):
                gap = chance.random() < 0.02
                sheet.cell(top + 1 + row, left + column, None if gap else chance.randrange(400) / 4)
        book.save(path)
        data = path.read_bytes()
        for bytes_, whole in [(data, True), (damaged(chance, data), False)]:
            path.write_bytes(bytes_)
            found = ours(path)
            if found is None:
                continue
            accepted += 1
            try:
                cells = openpyxl.load_workbook(path, data_only=True).active.iter_rows(values_only=True)
                rows = [row for row in cells if any(cell is not None for cell in row)]
            except Exception:
                # It reads the list of the archive more strictly than the format asks for; what is
                # in the sheet is known all the same.
                assert not whole
                continue
            names = [cell for cell in rows[0] if cell is not None]
            first = rows[0].index(names[0])
            values = [row[first : first + len(names)] for row in rows[1:]]
            numbers = [[math.nan if cell is None else float(cell) for cell in row] for row in values]
            agree(found, list(zip(*numbers)), names, ("xlsx", seed))
    assert accepted > FILES // 4


LARGE = [9007199254740993, -9007199254740995, 2**63 - 1, 12345678901234567, 7, -4]


def written_large(path, values):
    """A table with a column of large integers, in the format that the ending asks for."""
    plain = [1.5 * i % 7 for i in range(len(values))]
    columns = {"id": pa.array(values, pa.int64()), "x": pa.array(plain)}
    if path.name == "t.csv":
        path.write_text("id,x\n" + "".join(f"{a},{b}\n" for a, b in zip(values, plain)))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps({"id": a, "x": b}) + "\n" for a, b in zip(values, plain)))
    elif path.suffix == ".npy":
        np.save(path, np.column_stack([values, range(len(values))]).astype("i8"))
    elif path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    else:
        if path.stem == "dictionary":
            columns["id"] = columns["id"].dictionary_encode()
        made = pa.table(columns)
        with pa.ipc.new_file(str(path), made.schema) as writer:
            writer.write_table(made)


@pytest.mark.parametrize(
    "name", ["t.csv", "t.jsonl", "t.npy", "t.parquet", "t.arrow", "dictionary.arrow"]
)
def test_whole_numbers_of_files_are_exact_or_named(tmp_path, name):
    path = tmp_path / name
    column = "x1" if name.endswith(".npy") else "id"
    for values in [LARGE, [2**53, -(2**53), 3, 2**60]]:
        written_large(path, values * 3)
        found = nocurl.Moments.of(str(path))
        nearest = [float(value) for value in values]
        assert math.isclose(found.mean[0], math.fsum(nearest) / len(values), rel_tol=1e-15)
        result = subprocess.run([NOCURL, "inspect", path], capture_output=True, text=True)
        told = f"whole numbers of `{column}` are beyond 2^53 and were rounded"
        rounded = any(int(float(value)) != value for value in values)
        assert (told in result.stdout + result.stderr) == rounded, (name, result)


def test_decimals_are_the_nearest_numbers(tmp_path):
    import decimal
    from fractions import Fraction

    texts = ["900719925474099.3", "0.1", "123456789012345678.25", "-2.675", "1e-9", "3.0"]
    for name in ["t.parquet", "t.arrow"]:
        path = tmp_path / name
        for value in map(decimal.Decimal, texts):
            # A column of one value has this as its mean; Python rounds a fraction once.
            made = pa.table({
                "d": pa.array([value] * 4, pa.decimal128(38, 10)),
                "e": pa.array([value] * 4, pa.decimal256(60, 10)),
                "x": pa.array([1.0, 2.0, 4.0, 3.0]),
            })
            if name == "t.parquet":
                pq.write_table(made, path)
            else:
                with pa.ipc.new_file(str(path), made.schema) as writer:
                    writer.write_table(made)
            nearest = float(Fraction(value))
            found = nocurl.Moments.of(str(path))
            assert list(found.mean[:2]) == [nearest, nearest], (name, value)

"""Writes sheets and other containers to testdata/tables/: one table as openpyxl, XlsxWriter, odfpy,
NumPy and pandas write it.

Run: python testdata/make_sheets.py   (needs numpy, odfpy, openpyxl, pandas, xlsxwriter)
"""

import pathlib

import numpy as np
import pandas as pd

folder = pathlib.Path(__file__).parent / "tables"
rng = np.random.default_rng(20261118)
n = 24
frame = pd.DataFrame({
    "weight": rng.normal(70, 10, n).round(3),
    "count": rng.integers(0, 50, n),
    "kind": rng.choice(["cat", "dog", "größe & <co>"], n),
    "well": rng.random(n) < 0.5,
    "day": pd.date_range("2020-02-20", periods=n),
})
frame.to_csv(folder / "book.csv", index=False)
with pd.ExcelWriter(folder / "openpyxl.xlsx", engine="openpyxl") as book:
    frame.head(0).to_excel(book, sheet_name="names", index=False)
    frame.to_excel(book, sheet_name="data", index=False, startrow=2, startcol=1)
frame.to_excel(folder / "xlsxwriter.xlsx", engine="xlsxwriter")
frame.to_excel(folder / "odfpy.ods", engine="odf", index=False)
frame.to_json(folder / "pandas.jsonl", orient="records", lines=True, date_format="iso")
frame.to_csv(folder / "pandas.csv.bz2", index=False)
frame.to_csv(folder / "pandas.zip", index=False, compression={"method": "zip", "archive_name": "b.csv"})
np.savez_compressed(folder / "columns.npz", weight=frame["weight"], count=frame["count"])

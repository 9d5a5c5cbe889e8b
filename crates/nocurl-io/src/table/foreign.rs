//! Files of other programs that are not read, with the line that converts them.

use crate::Error;

/// Programs that convert a file.
enum Convert {
    Python(&'static str),
    R(&'static str),
}

/// Refuses formats of other programs.
pub(super) fn refuse(label: &str, extension: &str, start: &[u8]) -> Result<(), Error> {
    use Convert::{Python, R};
    // A workbook with a password, or one of an old version, under whatever name.
    if start.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
        let reason = "it is an Excel file with a password or of before 2007; save it as .xlsx \
                      without a password";
        return Err(Error::unsupported(label, reason));
    }
    if start.starts_with(b"\x89HDF") {
        let line = "pandas.read_hdf(path).to_parquet('table.parquet')";
        return Err(told(label, &Python(line)));
    }
    let line = match extension {
        "xls" | "xlsb" => Python("pandas.read_excel(path).to_csv('table.csv', index=False)"),
        "sav" | "zsav" | "por" => Python("pandas.read_spss(path).to_parquet('table.parquet')"),
        "dta" => Python("pandas.read_stata(path).to_parquet('table.parquet')"),
        "sas7bdat" | "xpt" => Python("pandas.read_sas(path).to_parquet('table.parquet')"),
        "rds" => R("write.csv(readRDS(path), 'table.csv', row.names = FALSE)"),
        "rda" | "rdata" => R("write.csv(get(load(path)[1]), 'table.csv', row.names = FALSE)"),
        "json" => Python("pandas.read_json(path).to_csv('table.csv', index=False)"),
        "pkl" | "pickle" => Python("pandas.read_pickle(path).to_parquet('table.parquet')"),
        "orc" => Python("pandas.read_orc(path).to_parquet('table.parquet')"),
        "xml" => Python("pandas.read_xml(path).to_csv('table.csv', index=False)"),
        "html" | "htm" => Python("pandas.read_html(path)[0].to_csv('table.csv', index=False)"),
        "mat" => Python("numpy.save('table.npy', scipy.io.loadmat(path)['NAME'])"),
        "db" | "sqlite" | "sqlite3" => Python(
            "pandas.read_sql('select * from NAME', 'sqlite:///' + path).to_parquet('table.parquet')",
        ),
        "arff" => Python(
            "pandas.DataFrame(scipy.io.arff.loadarff(path)[0]).to_csv('table.csv', index=False)",
        ),
        _ => return Ok(()),
    };
    Err(told(label, &line))
}

fn told(label: &str, line: &Convert) -> Error {
    let (program, line) = match line {
        Convert::Python(line) => ("Python", line),
        Convert::R(line) => ("R", line),
    };
    let words = format!("files of this kind are not read; convert it in {program}: {line}");
    Error::unsupported(label, words)
}

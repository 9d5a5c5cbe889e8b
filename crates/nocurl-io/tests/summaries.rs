//! What is kept of tables: parts merge, files are whole or refused.

use nocurl::Run;
use nocurl_io::{Kinds, Missing, ReadOptions, Resample, Source, Summary, read_part, read_survey};

fn part(text: &str, options: &ReadOptions, kinds: Kinds<'_>) -> Result<Summary, String> {
    let source = Source::bytes("part.csv", text);
    match read_part(&source, options, kinds, &Run::default()) {
        Ok((summary, _)) => Ok(summary),
        Err(error) => Err(error.to_string()),
    }
}

fn numbers(text: &str) -> Summary {
    part(text, &ReadOptions::default(), Kinds::Numbers).unwrap()
}

fn rows(from: usize, count: usize) -> String {
    let row = |i: usize| format!("{},{},{}\n", i, (i * i) % 11, (i * 7) % 5);
    String::from("a,b,c\n") + &(from..from + count).map(row).collect::<String>()
}

#[test]
fn few_rows_and_none_are_parts_too() {
    let mut whole = numbers("a,b,c\n");
    assert_eq!(whole.moments.rows(), 0);
    for text in [rows(0, 1), rows(1, 40), "c,a,b\n".into(), rows(41, 3000)] {
        whole.merge(&numbers(&text)).unwrap();
    }
    let expected = numbers(&rows(0, 3041));
    assert_eq!(whole.moments.rows(), 3041);
    for (a, b) in whole.moments.mean().iter().zip(expected.moments.mean()) {
        assert!((a - b).abs() < 1e-10);
    }
    assert_eq!(whole.sample_rows().unwrap().unwrap().values().nrows(), 2000);
    let small = numbers(&rows(0, 30));
    assert!(small.has_all_rows() && !whole.has_all_rows());
}

#[test]
fn gaps_in_small_parts_are_left_out() {
    let drop = ReadOptions { missing: Missing::Drop, ..ReadOptions::default() };
    let found = part("a,b\nNA,1\n", &drop, Kinds::Numbers).unwrap();
    assert_eq!((found.moments.rows(), found.rows_dropped), (0, 1));
    let error = part("a,b\nNA,1\n2,2\n", &ReadOptions::default(), Kinds::Numbers).unwrap_err();
    assert!(error.contains("`a`"), "{error}");
}

#[test]
fn parts_agree_on_levels() {
    let texts = ["size,kind\n1,x\n2,y\n3,x\n4,x\n", "kind,size\nz,5\nx,6\nz,7\ny,9\n"];
    let options = ReadOptions::default();
    assert!(part(texts[0], &options, Kinds::Numbers).unwrap_err().contains("kinds"));
    let look = |text: &str| {
        read_survey(&Source::bytes("part.csv", text), &options, &Run::default()).unwrap()
    };
    let mut seen = look(texts[0]);
    seen.append(look(texts[1])).unwrap();
    // As workers send it.
    let sent = serde_json::to_string(&seen).unwrap();
    let seen: nocurl_io::TableSurvey = serde_json::from_str(&sent).unwrap();
    let variables = seen.variables(&options).unwrap().variables;
    assert_eq!(variables[1].levels, ["x", "y", "z"]);
    let given = Kinds::Given(&variables);
    let mut whole = part(texts[0], &options, given).unwrap();
    whole.merge(&part(texts[1], &options, given).unwrap()).unwrap();
    assert_eq!(whole.moments.mean(), [37.0 / 8.0, 0.25, 0.25]);
    let error = part("size,kind\n1,w\n", &options, given).unwrap_err();
    assert!(error.contains("`kind`") && error.contains("`w`"), "{error}");
    // Without the look, levels are added while merging.
    let chosen = ReadOptions { categorical: vec!["kind".into()], ..ReadOptions::default() };
    let mut found = part(texts[0], &chosen, Kinds::Find).unwrap();
    found.merge(&part(texts[1], &chosen, Kinds::Find).unwrap()).unwrap();
    assert_eq!(found.moments.variables(), whole.moments.variables());
}

#[test]
fn a_column_of_weights_is_no_variable() {
    let options = ReadOptions { weights: Some("w".into()), ..ReadOptions::default() };
    let found = part("a,w,b\n1,2,5\n3,0,9\n2,1,2\n", &options, Kinds::Numbers).unwrap();
    assert_eq!(found.moments.names(), ["a", "b"]);
    assert_eq!((found.moments.rows(), found.moments.mean()[1]), (3, 4.0));
    let error = part("a,w,b\n1,-2,5\n", &options, Kinds::Numbers).unwrap_err();
    assert!(error.contains("`w`") && error.contains("-2"), "{error}");
    let error = part("a,b\n1,5\n", &options, Kinds::Numbers).unwrap_err();
    assert!(error.contains("`w`"), "{error}");
}

#[test]
fn tables_are_drawn_in_the_same_pass() {
    let resample = |part| Some(Resample { numbers: 0..6, seed: 3, part });
    let options = |part| ReadOptions { resample: resample(part), ..ReadOptions::default() };
    let source = Source::bytes("part.csv", rows(0, 30_000));
    let draw = |number| read_part(&source, &options(number), Kinds::Numbers, &Run::default());
    let (summary, drawn) = draw(0).unwrap();
    assert_eq!(drawn.len(), 6);
    assert!(drawn.iter().all(|one| one.rows().abs_diff(30_000) < 1000));
    assert_eq!(summary, numbers(&rows(0, 30_000)));
    assert_ne!(drawn, draw(1).unwrap().1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| draw(0)).unwrap().1, drawn);
}

#[test]
fn files_are_read_back_to_the_bit() {
    let options = ReadOptions::default();
    let found = part("a,k,b\n1,x,0.1\n2,y,1e100\n7,z,3\n1,x,2\n", &options, Kinds::Find).unwrap();
    let bytes = found.to_bytes();
    assert_eq!(Summary::from_bytes(&bytes, "m").unwrap(), found);
    for length in 0..bytes.len() {
        let error = Summary::from_bytes(&bytes[..length], "`m.moments`").unwrap_err().to_string();
        assert!(error.contains("cut off") && error.contains("m.moments"), "{length}: {error}");
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(Summary::from_bytes(&changed, "m").is_err(), "byte {at}");
    }
    let mut later = bytes.clone();
    later[8] = 9;
    let error = Summary::from_bytes(&later, "m").unwrap_err().to_string();
    assert!(error.contains("version 9"), "{error}");
    let mut longer = bytes;
    longer.push(0);
    assert!(Summary::from_bytes(&longer, "m").is_err());
}

#[test]
fn the_size_is_half_of_a_matrix() {
    let names: Vec<String> = (0..500).map(|j| format!("x{j}")).collect();
    let bytes = Summary::new(nocurl::Moments::new(names)).to_bytes().len();
    assert!(bytes < 4 * 500 * 502 + 50_000, "{bytes}");
}

#[test]
fn conditions_are_kept_in_files_and_merge() {
    let options = ReadOptions::default().told_apart(Some(&"drug".to_string()));
    let table = |conditions: &[&str], rows: usize| {
        let row = |i: usize| {
            let drug = conditions[i * 3 % 7 % conditions.len()];
            format!("{},{drug},{}\n", i * 7 % 13, i * 5 % 11)
        };
        String::from("a,drug,b\n") + &(0..rows).map(row).collect::<String>()
    };
    let one = part(&table(&["none", "x"], 60), &options, Kinds::Find).unwrap();
    let other = part(&table(&["y", "none", "z"], 50), &options, Kinds::Find).unwrap();
    let empty = part("b,drug,a\n", &options, Kinds::Find).unwrap();
    assert_eq!(empty.moments.rows(), 0);
    let mut whole = empty.clone();
    for later in [&one, &empty, &other] {
        whole.merge(later).unwrap();
    }
    let conditions = whole.moments.conditions().unwrap();
    assert_eq!(conditions.rows().iter().sum::<u64>(), 110);
    assert_eq!(conditions.rows().len(), 4);
    let level = whole.moments.variables().list()[1].level("x").unwrap();
    let x = whole.of_condition(level).unwrap();
    assert_eq!(x.moments.rows(), x.sample_rows().unwrap().unwrap().values().nrows() as u64);
    // Few rows are kept as they are, many as moments: both come back.
    for summary in [&one, &other, &whole, &empty] {
        let bytes = summary.to_bytes();
        assert_eq!(&Summary::from_bytes(&bytes, "m.moments").unwrap(), summary);
        for end in [9, 20, bytes.len() - 9, bytes.len() - 1] {
            let error = Summary::from_bytes(&bytes[..end], "m.moments").unwrap_err();
            assert!(error.to_string().contains("cut off"), "{error}");
        }
    }
    let plain = part(&table(&["none", "x"], 60), &ReadOptions::default(), Kinds::Find).unwrap();
    let error = plain.clone().merge(&one).unwrap_err().to_string();
    assert!(error.contains("only one of them tells conditions apart"), "{error}");
    // The first version has no conditions.
    let mut bytes = plain.to_bytes();
    bytes[8] = 1;
    Summary::seal(&mut bytes);
    assert_eq!(Summary::from_bytes(&bytes, "m.moments").unwrap(), plain);
    bytes[8] = 3;
    Summary::seal(&mut bytes);
    let error = Summary::from_bytes(&bytes, "m.moments").unwrap_err().to_string();
    assert!(error.contains("version 3, this program reads versions 1 to 2"), "{error}");
    let missing = part("a,b\n1,2\n", &options, Kinds::Find).unwrap_err();
    assert!(missing.contains("`drug`"), "{missing}");
}

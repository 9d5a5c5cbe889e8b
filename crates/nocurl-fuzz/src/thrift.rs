//! Thrift's compact protocol as a tree that can be changed: it says of itself what is in it.

use crate::random::Random;

/// A value.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Bool(bool),
    Byte(u8),
    /// An integer with its type: 4, 5 or 6.
    Integer(u8, i64),
    Double([u8; 8]),
    Binary(Vec<u8>),
    /// Elements with their type.
    List(u8, Vec<Value>),
    Struct(Vec<(i16, Value)>),
}

impl Value {
    /// Reads a structure and how many bytes it takes.
    pub(crate) fn parse(bytes: &[u8]) -> Option<(Self, usize)> {
        let mut parser = Parser { bytes, at: 0 };
        let value = parser.value(12)?;
        Some((value, parser.at))
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes
    }

    fn code(&self) -> u8 {
        match self {
            Self::Bool(true) => 1,
            Self::Bool(false) => 2,
            Self::Byte(_) => 3,
            Self::Integer(code, _) => *code,
            Self::Double(_) => 7,
            Self::Binary(_) => 8,
            Self::List(..) => 9,
            Self::Struct(_) => 12,
        }
    }

    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Self::Bool(value) => to.push(if *value { 1 } else { 2 }),
            Self::Byte(value) => to.push(*value),
            Self::Integer(_, value) => varint(to, ((value << 1) ^ (value >> 63)) as u64),
            Self::Double(bytes) => to.extend(bytes),
            Self::Binary(bytes) => {
                varint(to, bytes.len() as u64);
                to.extend(bytes);
            }
            Self::List(code, elements) => {
                if elements.len() < 15 {
                    to.push((elements.len() as u8) << 4 | code);
                } else {
                    to.push(0xf0 | code);
                    varint(to, elements.len() as u64);
                }
                elements.iter().for_each(|element| element.write(to));
            }
            Self::Struct(fields) => {
                let mut last = 0;
                for (id, value) in fields {
                    let step = id.wrapping_sub(last);
                    if (1..16).contains(&step) {
                        to.push((step as u8) << 4 | value.code());
                    } else {
                        to.push(value.code());
                        varint(to, ((i64::from(*id) << 1) ^ (i64::from(*id) >> 63)) as u64);
                    }
                    if !matches!(value, Self::Bool(_)) {
                        value.write(to);
                    }
                    last = *id;
                }
                to.push(0);
            }
        }
    }

    /// The field of a structure.
    pub(crate) fn field(&mut self, id: i16) -> Option<&mut Self> {
        match self {
            Self::Struct(fields) => fields.iter_mut().find(|(i, _)| *i == id).map(|(_, v)| v),
            _ => None,
        }
    }

    pub(crate) fn elements(&mut self) -> &mut [Self] {
        match self {
            Self::List(_, elements) => elements,
            _ => &mut [],
        }
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(_, value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn set(&mut self, number: i64) {
        if let Self::Integer(_, value) = self {
            *value = number;
        }
    }

    fn count(&self) -> usize {
        1 + match self {
            Self::List(_, elements) => elements.iter().map(Self::count).sum(),
            Self::Struct(fields) => fields.iter().map(|(_, value)| value.count()).sum(),
            _ => 0,
        }
    }

    /// Changes one value of the tree.
    pub(crate) fn change(&mut self, random: &mut Random) {
        let mut place = random.below(self.count());
        self.change_at(&mut place, random);
    }

    fn change_at(&mut self, place: &mut usize, random: &mut Random) -> bool {
        if *place == 0 {
            self.change_here(random);
            return true;
        }
        *place -= 1;
        match self {
            Self::List(_, elements) => {
                elements.iter_mut().any(|element| element.change_at(place, random))
            }
            Self::Struct(fields) => {
                fields.iter_mut().any(|(_, value)| value.change_at(place, random))
            }
            _ => false,
        }
    }

    fn change_here(&mut self, random: &mut Random) {
        match self {
            Self::Bool(value) => *value = !*value,
            Self::Byte(value) => *value = random.next() as u8,
            Self::Integer(code, value) => {
                if random.once_in(6) {
                    *code = [4, 5, 6][random.below(3)];
                }
                *value = random.number(*value);
                if random.once_in(8) {
                    *self = Self::Double(random.next().to_le_bytes());
                }
            }
            Self::Double(bytes) => *bytes = random.next().to_le_bytes(),
            Self::Binary(bytes) => random.change(bytes),
            Self::List(code, elements) => match (random.below(4), elements.len()) {
                (_, 0) | (0, _) => elements.clear(),
                (1, length) => drop(elements.remove(random.below(length))),
                (2, length) => {
                    let copy = elements[random.below(length)].clone();
                    let times = [1, 2, 20, 300][random.below(4)];
                    elements.extend(std::iter::repeat_n(copy, times));
                }
                _ => *code = random.below(14) as u8,
            },
            Self::Struct(fields) if fields.is_empty() => fields.push((1, Self::Bool(true))),
            Self::Struct(fields) => {
                let at = random.below(fields.len());
                match random.below(5) {
                    0 => drop(fields.remove(at)),
                    1 => fields.push(fields[at].clone()),
                    2 => fields[at].0 = random.number(fields[at].0.into()) as i16,
                    3 => {
                        let other = random.below(fields.len());
                        fields[at].1 = fields[other].1.clone();
                    }
                    _ => {
                        let inner = fields[at].1.clone();
                        fields[at].1 = Self::Struct(vec![(1, inner)]);
                    }
                }
            }
        }
    }
}

fn varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.at += 1;
        self.bytes.get(self.at - 1).copied()
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn value(&mut self, code: u8) -> Option<Value> {
        Some(match code {
            1 | 2 => Value::Bool(self.byte()? == 1),
            3 => Value::Byte(self.byte()?),
            4..=6 => Value::Integer(code, self.integer()?),
            7 => {
                let bytes = self.bytes.get(self.at..self.at + 8)?;
                self.at += 8;
                Value::Double(bytes.try_into().ok()?)
            }
            8 => {
                let length = self.varint()? as usize;
                let bytes = self.bytes.get(self.at..self.at.checked_add(length)?)?;
                self.at += length;
                Value::Binary(bytes.to_vec())
            }
            9 | 10 => {
                let header = self.byte()?;
                let length = if header >> 4 == 15 { self.varint()? } else { (header >> 4).into() };
                let elements = (0..length).map(|_| self.value(header & 15));
                Value::List(header & 15, elements.collect::<Option<_>>()?)
            }
            12 => {
                let (mut fields, mut id) = (Vec::new(), 0_i16);
                loop {
                    let header = self.byte()?;
                    if header == 0 {
                        return Some(Value::Struct(fields));
                    }
                    id = match header >> 4 {
                        0 => self.integer()? as i16,
                        step => id.wrapping_add(step.into()),
                    };
                    let value = match header & 15 {
                        code @ (1 | 2) => Value::Bool(code == 1),
                        code => self.value(code)?,
                    };
                    fields.push((id, value));
                }
            }
            _ => return None,
        })
    }
}

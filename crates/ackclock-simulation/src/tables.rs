//! Tables: columns, shared texts, and the digest by which runs are compared.

pub(crate) mod count_column;
pub(crate) mod digest;
pub(crate) mod table;
pub(crate) mod texts;

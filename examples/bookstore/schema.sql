CREATE TABLE books (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	title       TEXT    NOT NULL,
	authors     TEXT    NOT NULL, -- one a line
	year        INTEGER NOT NULL,
	language    TEXT    NOT NULL,
	format      TEXT    NOT NULL,
	price_cents INTEGER NOT NULL CHECK (price_cents > 0),
	stock       INTEGER NOT NULL CHECK (stock >= 0),
	reserved    INTEGER NOT NULL DEFAULT 0 CHECK (reserved BETWEEN 0 AND stock),
	added_at    INTEGER NOT NULL, -- seconds since 1970
	repriced_at INTEGER,
	UNIQUE (title, authors, format)
);

CREATE TABLE subjects (
	book    INTEGER NOT NULL REFERENCES books ON DELETE CASCADE,
	subject TEXT    NOT NULL,
	PRIMARY KEY (book, subject)
) WITHOUT ROWID;

CREATE INDEX subjects_by_name ON subjects (subject);

CREATE TABLE reservations (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	caller     TEXT    NOT NULL,
	book       INTEGER NOT NULL REFERENCES books,
	copies     INTEGER NOT NULL CHECK (copies > 0),
	note       TEXT,
	created_at INTEGER NOT NULL
);

CREATE INDEX reservations_by_caller ON reservations (caller);

-- The index of words, one row for each book under the same number. The Porter
-- stemmer finds "seas" for "sea", and "bronte" finds Brontë.
CREATE VIRTUAL TABLE words USING fts5 (
	title, authors, subjects,
	tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Numbers below belong to the books that the shop opened with.
INSERT INTO sqlite_sequence (name, seq) VALUES ('books', 999999);

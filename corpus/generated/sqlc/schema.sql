CREATE TYPE book_format AS ENUM ('hardcover', 'paperback', 'audio', 'ebook');
CREATE TYPE loan_state AS ENUM ('open', 'returned', 'lost');

CREATE TABLE authors (
  id          bigserial PRIMARY KEY,
  name        text NOT NULL,
  born        date,
  biography   text,
  homepage    text,
  created_at  timestamptz NOT NULL DEFAULT now()
);

-- What the library owns.
CREATE TABLE books (
  id          bigserial PRIMARY KEY,
  author_id   bigint NOT NULL REFERENCES authors,
  isbn        varchar(17) UNIQUE,
  title       text NOT NULL,
  format      book_format NOT NULL,
  price       numeric(10, 2) NOT NULL,
  pages       integer,
  tags        text[] NOT NULL DEFAULT '{}',
  attributes  jsonb NOT NULL DEFAULT '{}',
  cover       bytea,
  published   date,
  weight      double precision
);

CREATE TABLE branches (
  id       uuid PRIMARY KEY,
  name     text NOT NULL,
  address  inet,
  opens    time,
  loaning  interval NOT NULL
);

CREATE TABLE copies (
  id         bigserial PRIMARY KEY,
  book_id    bigint NOT NULL REFERENCES books,
  branch_id  uuid NOT NULL REFERENCES branches,
  row_number      smallint,
  bought_at  timestamp
);

CREATE TABLE members (
  id        uuid PRIMARY KEY,
  email     text NOT NULL UNIQUE,
  name      text NOT NULL,
  birthday  date,
  blocked   boolean NOT NULL DEFAULT false,
  balance   numeric,
  settings  json
);

CREATE TABLE loans (
  id           bigserial PRIMARY KEY,
  copy_id      bigint NOT NULL REFERENCES copies,
  member_id    uuid NOT NULL REFERENCES members,
  state        loan_state NOT NULL DEFAULT 'open',
  borrowed_at      timestamptz NOT NULL,
  due_at       timestamptz NOT NULL,
  returned_at  timestamptz,
  fee          numeric
);

CREATE TABLE reviews (
  id         bigserial PRIMARY KEY,
  book_id    bigint NOT NULL REFERENCES books,
  member_id  uuid NOT NULL REFERENCES members,
  stars      smallint NOT NULL,
  body       text,
  written    timestamptz NOT NULL DEFAULT now()
);

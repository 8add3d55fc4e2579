-- name: GetAuthor :one
-- GetAuthor returns one author.
SELECT * FROM authors WHERE id = $1;

-- name: ListAuthors :many
SELECT * FROM authors ORDER BY name;

-- name: SearchAuthors :many
SELECT * FROM authors WHERE name ILIKE '%' || sqlc.arg(part)::text || '%' ORDER BY name LIMIT $1;

-- name: AuthorsBornBetween :many
SELECT id, name, born FROM authors WHERE born BETWEEN sqlc.arg(first_day) AND sqlc.arg(last_day);

-- name: CreateAuthor :one
INSERT INTO authors (name, born, biography, homepage) VALUES ($1, $2, $3, $4) RETURNING *;

-- name: UpdateAuthor :exec
UPDATE authors SET name = coalesce(sqlc.narg(name), name), biography = coalesce(sqlc.narg(biography), biography) WHERE id = sqlc.arg(id);

-- name: DeleteAuthor :exec
DELETE FROM authors WHERE id = $1;

-- name: CountAuthors :one
SELECT count(*) FROM authors;

-- name: GetBook :one
SELECT * FROM books WHERE id = $1;

-- name: GetBookByISBN :one
SELECT * FROM books WHERE isbn = $1;

-- name: ListBooks :many
SELECT * FROM books ORDER BY id LIMIT $1 OFFSET $2;

-- name: ListBooksOfAuthors :many
SELECT * FROM books WHERE author_id = ANY($1::bigint[]);

-- name: ListBooksOfFormats :many
SELECT * FROM books WHERE format = ANY($1::book_format[]);

-- name: ListBooksWithTag :many
SELECT * FROM books WHERE $1::text = ANY(tags);

-- name: BooksWithAuthors :many
SELECT sqlc.embed(books), sqlc.embed(authors) FROM books JOIN authors ON authors.id = books.author_id WHERE books.price <= $1;

-- name: CreateBook :one
INSERT INTO books (author_id, isbn, title, format, price, pages, tags, attributes, published, weight)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING *;

-- name: SetCover :exec
UPDATE books SET cover = $2 WHERE id = $1;

-- name: GetCover :one
SELECT cover FROM books WHERE id = $1;

-- name: SetAttributes :execrows
UPDATE books SET attributes = attributes || $2 WHERE id = $1;

-- name: RaisePrices :execresult
UPDATE books SET price = price * $1 WHERE format = $2;

-- name: ImportBooks :copyfrom
INSERT INTO books (author_id, isbn, title, format, price) VALUES ($1, $2, $3, $4, $5);

-- name: AveragePrice :one
SELECT avg(price)::numeric AS average, max(price)::numeric AS highest, count(*) AS books FROM books WHERE format = $1;

-- name: TagCounts :many
SELECT unnest(tags)::text AS tag, count(*) AS books FROM books GROUP BY 1 ORDER BY 2 DESC;

-- name: GetBranch :one
SELECT * FROM branches WHERE id = $1;

-- name: ListBranches :many
SELECT * FROM branches ORDER BY name;

-- name: CreateBranch :one
INSERT INTO branches (id, name, address, opens, loaning) VALUES ($1, $2, $3, $4, $5) RETURNING *;

-- name: BranchOfAddress :one
SELECT id, name FROM branches WHERE address >> $1::inet;

-- name: AddCopy :one
INSERT INTO copies (book_id, branch_id, row_number, bought_at) VALUES ($1, $2, $3, $4) RETURNING id;

-- name: MoveCopies :exec
UPDATE copies SET branch_id = sqlc.arg(target) WHERE branch_id = sqlc.arg(source);

-- name: CopiesOfBook :many
SELECT copies.*, branches.name AS branch FROM copies JOIN branches ON branches.id = copies.branch_id WHERE book_id = $1;

-- name: CopiesByRow :many
SELECT row_number, count(*) AS copies FROM copies WHERE branch_id = $1 GROUP BY row_number;

-- name: GetMember :one
SELECT * FROM members WHERE id = $1;

-- name: FindMember :one
SELECT * FROM members WHERE email = $1;

-- name: RegisterMember :one
INSERT INTO members (id, email, name, birthday, settings) VALUES ($1, $2, $3, $4, $5) RETURNING *;

-- name: BlockMember :execrows
UPDATE members SET blocked = true WHERE id = $1;

-- name: BlockMembers :batchexec
UPDATE members SET blocked = true WHERE id = $1;

-- name: ChargeMember :one
UPDATE members SET balance = coalesce(balance, 0) - $2 WHERE id = $1 RETURNING balance;

-- name: MemberSettings :one
SELECT settings FROM members WHERE id = $1;

-- name: MembersWithBirthday :many
SELECT id, name, birthday FROM members WHERE extract(month FROM birthday) = sqlc.arg(month)::int;

-- name: BorrowCopy :one
INSERT INTO loans (copy_id, member_id, borrowed_at, due_at) VALUES ($1, $2, $3, $4) RETURNING *;

-- name: ReturnCopy :execrows
UPDATE loans SET state = 'returned', returned_at = now(), fee = $2 WHERE id = $1 AND state = 'open';

-- name: GetLoan :one
SELECT * FROM loans WHERE id = $1;

-- name: OpenLoans :many
SELECT * FROM loans WHERE member_id = $1 AND state = 'open';

-- name: LoansInState :many
SELECT * FROM loans WHERE state = $1 AND borrowed_at > $2;

-- name: Overdue :many
SELECT loans.id, loans.due_at, members.name, members.email, books.title
FROM loans JOIN members ON members.id = loans.member_id JOIN copies ON copies.id = loans.copy_id JOIN books ON books.id = copies.book_id
WHERE loans.state = 'open' AND loans.due_at < $1;

-- name: ExtendLoan :one
UPDATE loans SET due_at = due_at + sqlc.arg(by)::interval WHERE id = sqlc.arg(id) RETURNING due_at;

-- name: FeesOfMonth :one
SELECT coalesce(sum(fee), 0)::numeric AS fees FROM loans WHERE returned_at >= sqlc.arg(since) AND returned_at < sqlc.arg(until);

-- name: LoanTimes :many
SELECT id, (returned_at - borrowed_at)::interval AS taken FROM loans WHERE returned_at IS NOT NULL;

-- name: WriteReview :one
INSERT INTO reviews (book_id, member_id, stars, body) VALUES ($1, $2, $3, $4) RETURNING *;

-- name: ReviewsOfBook :many
SELECT * FROM reviews WHERE book_id = $1 ORDER BY written DESC;

-- name: BestBooks :many
SELECT books.id, books.title, avg(reviews.stars)::float AS stars FROM books JOIN reviews ON reviews.book_id = books.id GROUP BY books.id HAVING count(*) >= $1 ORDER BY 3 DESC;

-- name: GetBooks :batchmany
SELECT * FROM books WHERE author_id = $1;

-- name: HasReviewed :one
SELECT EXISTS (SELECT 1 FROM reviews WHERE book_id = $1 AND member_id = $2);

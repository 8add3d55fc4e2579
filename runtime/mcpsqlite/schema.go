package mcpsqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// migrations contains the statements that upgrade the schema from each version to the next. The
// version of a file is in user_version; an older program never modifies a newer file.
var migrations = []string{
	`CREATE TABLE task (
		scope   BLOB NOT NULL,
		id      TEXT NOT NULL,
		account BLOB NOT NULL,
		server  TEXT NOT NULL,
		tool    TEXT NOT NULL,
		status  INTEGER NOT NULL,
		ended   INTEGER NOT NULL,
		created INTEGER NOT NULL, -- times are milliseconds since 1970
		expires INTEGER NOT NULL,
		ready   INTEGER NOT NULL, -- when it became ready; 0 if it is not
		owner   TEXT NOT NULL,
		attempt INTEGER NOT NULL,
		lease   INTEGER NOT NULL, -- when the lease of the owner ends; 0 without one
		version INTEGER NOT NULL,
		sealed  BLOB NOT NULL,
		PRIMARY KEY (scope, id)
	) WITHOUT ROWID;
	CREATE INDEX task_account ON task (account) WHERE ended = 0;
	CREATE INDEX task_ready ON task (server, ready) WHERE ready > 0;
	CREATE INDEX task_lease ON task (server, lease) WHERE lease > 0;
	CREATE INDEX task_expires ON task (expires);`,

	// Columns that requests about a task need precede the others: SQLite reads a row up to the last
	// needed column. Triggers sum up the storage of each account; the empty account is the sum of
	// all. Earlier tasks have no head, and are deleted, since no release wrote any.
	`DROP TABLE task;
	CREATE TABLE task (
		scope    BLOB NOT NULL,
		id       TEXT NOT NULL,
		account  BLOB NOT NULL,
		server   TEXT NOT NULL,
		tool     TEXT NOT NULL,
		status   INTEGER NOT NULL,
		ended    INTEGER NOT NULL,
		ended_at INTEGER NOT NULL, -- 0 before
		created  INTEGER NOT NULL,
		expires  INTEGER NOT NULL,
		ready    INTEGER NOT NULL,
		owner    TEXT NOT NULL,
		attempt  INTEGER NOT NULL,
		lease    INTEGER NOT NULL,
		version  INTEGER NOT NULL,
		bytes    INTEGER NOT NULL,
		head     BLOB NOT NULL,
		sealed   BLOB NOT NULL,
		PRIMARY KEY (scope, id)
	) WITHOUT ROWID;
	CREATE INDEX task_account ON task (account) WHERE ended = 0;
	CREATE INDEX task_ready ON task (server, ready) WHERE ready > 0;
	CREATE INDEX task_lease ON task (server, lease) WHERE lease > 0;
	CREATE INDEX task_expires ON task (expires);
	CREATE INDEX task_ended ON task (account, ended_at) WHERE ended_at > 0;
	CREATE TABLE kept (
		account BLOB PRIMARY KEY,
		tasks   INTEGER NOT NULL,
		bytes   INTEGER NOT NULL
	) WITHOUT ROWID;
	CREATE INDEX kept_bytes ON kept (bytes);
	INSERT INTO kept VALUES (x'', 0, 0);
	CREATE TRIGGER task_added AFTER INSERT ON task BEGIN
		INSERT INTO kept VALUES (new.account, 1, new.bytes) ON CONFLICT (account) DO UPDATE SET tasks = tasks + 1, bytes = bytes + new.bytes;
		UPDATE kept SET tasks = tasks + 1, bytes = bytes + new.bytes WHERE account = x'';
	END;
	CREATE TRIGGER task_changed AFTER UPDATE OF bytes ON task BEGIN
		UPDATE kept SET bytes = bytes + new.bytes - old.bytes WHERE account IN (new.account, x'');
	END;
	CREATE TRIGGER task_removed AFTER DELETE ON task BEGIN
		UPDATE kept SET tasks = tasks - 1, bytes = bytes - old.bytes WHERE account IN (old.account, x'');
		DELETE FROM kept WHERE account = old.account AND tasks = 0 AND account <> x'';
	END;`,
}

// migrate upgrades the file to the latest version.
func migrate(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	for {
		var version int
		if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		switch {
		case version == len(migrations):
			return nil
		case version > len(migrations):
			return fmt.Errorf("the file has version %d of the schema, and this program knows %d", version, len(migrations))
		}
		if err := step(ctx, conn, version); err != nil {
			return err
		}
	}
}

// step upgrades the file by one version, unless another process has done so.
func step(ctx context.Context, conn *sql.Conn, version int) error {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	var now int
	err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&now)
	if err == nil && now == version {
		_, err = conn.ExecContext(ctx, migrations[version]+fmt.Sprintf("; PRAGMA user_version = %d", version+1))
	}
	if err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

// Package mcpsqlite stores the tasks of servers (package mcptask) in an SQLite file, so that they
// survive the process. Several processes of one machine may share the file.
package mcpsqlite

// Package mcpsqlite keeps the tasks of servers (package mcptask) in a file of SQLite, so that they
// survive the process. Several processes of one machine may share the file.
package mcpsqlite

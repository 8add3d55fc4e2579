// Package tools pins the versions of the generators whose output corpus/run-functions turns into
// tools.
package tools

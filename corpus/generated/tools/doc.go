// Package tools pins the versions of the generators whose output corpus/run-functions makes tools
// of.
package tools

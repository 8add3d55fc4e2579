// Package testbed is the harness of the tests of transports: a network in memory, a log that tests
// can read, servers with tools for tests, and the messages that clients send. Only tests import it.
package testbed

// Package hardening has only tests. They check on every transport the ways in which
// servers are known to fail: messages that are malformed, hostile, too many or too slow,
// and clients that vanish. There is one test for each way and transport,
// TestHardening/<what happens>/<transport>; a table of them, in Markdown, is printed by
//
//	go test ./runtime/internal/hardening -run TestTable -table -v
//
// TestFaults uses connections that stall, split messages and break, with a few clients,
// and TestSoak has many clients for a while:
//
//	go test ./runtime/internal/hardening -run TestSoak -soak 5m -timeout 15m -v
package hardening

// Package hardening has no code of its own. Its tests hold every transport against
// the ways in which servers are known to fail: what is malformed, hostile, too much
// or too slow, and clients that vanish. There is one test for each way and transport,
// TestHardening/<what happens>/<transport>; a table of them, in Markdown, is printed by
//
//	go test ./runtime/internal/hardening -run TestTable -table -v
//
// TestFaults puts mixed clients on connections that stall, tear and break, and TestSoak
// lets many of them loose for a while:
//
//	go test ./runtime/internal/hardening -run TestSoak -soak 5m -timeout 15m -v
package hardening

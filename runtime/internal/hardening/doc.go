// Package hardening contains only tests. They check on every transport the ways in which servers
// are known to fail: messages that are malformed, hostile, too many or too slow, and clients that
// vanish. There is one test for each way and transport, TestHardening/<what happens>/<transport>; a
// table of them, in Markdown, is printed by
//
//	go test ./runtime/internal/hardening -run TestTable -table -v
//
// TestFaults uses connections that stall, split messages and break, with a few clients. At night,
// TestSoak and TestClientSoak have many clients for a while, and the flag -transports runs each
// test over all its transports, since a few are enough before a merge:
//
//	go test -tags cost ./runtime/internal/hardening -run TestSoak -soak 5m -timeout 15m -v
//	go test -race ./runtime/internal/hardening -transports -timeout 30m
package hardening

// Package browser opens web pages in headless Chromium: pages that try to call a server on the same
// machine in every way available to them, and pages for people: the pictures of the README, the
// page of mcpgen docs -html, and the page of an endpoint. Only a real browser shows which requests
// it sends, how it handles the responses, and what a reader sees.
//
//	go test . -screenshots DIR     writes the screenshots of the tests
package browser

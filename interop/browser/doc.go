// Package browser opens web pages in headless Chromium that try to call a server on the same
// machine, in every way available to pages. Only a real browser shows which requests it sends, and
// how it handles the responses.
package browser

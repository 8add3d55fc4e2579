// Package browser opens web pages in headless Chromium that try to call a server on
// the same machine, in every way that pages have: what a browser lets through, and
// what the server then makes of it, only a browser knows.
package browser

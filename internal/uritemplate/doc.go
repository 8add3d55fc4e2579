// Package uritemplate reads URI templates (RFC 6570), fills them in, and does what
// the RFC leaves to others: it tells from a URI what a template was filled in
// with. Generator and runtime share it, so that they agree on what a template
// says.
//
// Supported are the levels 1 to 3, and the exploded path segments {/path*} of
// level 4. Prefixes such as {name:3} cannot be undone, and are refused.
package uritemplate

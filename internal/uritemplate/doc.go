// Package uritemplate parses URI templates (RFC 6570), expands them, and matches a URI with a
// template to find the values of its variables, which the RFC does not define. Generator and
// runtime share it, so that they agree on the meaning of a template.
//
// It supports the levels 1 to 3, and the exploded path segments {/path*} of level 4. Prefixes such
// as {name:3} cannot be reversed, and are refused.
package uritemplate

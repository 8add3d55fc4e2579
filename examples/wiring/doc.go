// Package wiring shows a code base whose domain packages contain only comments for the protocol.
// Packages catalogue and orders are annotated; public and staff emit two servers from the same
// annotations. The programs byhand, withwire and withfx serve them, each with another way of
// connecting the parts.
package wiring

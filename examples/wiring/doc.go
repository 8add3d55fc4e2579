// Package wiring shows a code base whose domain packages have nothing of the protocol but comments.
// Packages catalogue and orders are annotated; public and staff emit two servers out of the same
// annotations. The programs byhand, withwire and withfx serve them, each with another way of
// connecting the parts.
package wiring

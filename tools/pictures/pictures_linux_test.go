package main

import "testing"

// The committed pictures are what a new run draws: small, and without anything of this machine.
func TestPictures(t *testing.T) {
	if err := run("../..", true); err != nil {
		t.Error(err)
	}
}

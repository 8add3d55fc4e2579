package main

import "testing"

// The committed pictures equal a new drawing: they are small, and contain nothing of this machine.
func TestPictures(t *testing.T) {
	if err := run("../..", true); err != nil {
		t.Error(err)
	}
}

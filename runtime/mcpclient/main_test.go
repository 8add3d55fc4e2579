package mcpclient_test

import (
	"os"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// TestMain fails if the tests of this package validate few messages.
func TestMain(m *testing.M) { os.Exit(spec.Main{M: m, Least: 1200}.Run()) }

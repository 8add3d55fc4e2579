package mcpws_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(spec.Main{M: m, Least: 100}) }

// Package spec compares the tests of this module with the specification of the Model Context
// Protocol: a [Tap] validates messages against the official schemas, and [Holds] names the
// statements of the specification that a test asserts. Only tests import it, so no program links
// the validator.
//
// The schemas are not part of the module. The environment variable MCP_SPEC_DIR names a folder with
// REVISION/schema.json for each revision; without it a tap does nothing.
package spec

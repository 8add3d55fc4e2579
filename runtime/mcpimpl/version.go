package mcpimpl

// AtLeast_v1_0 is referenced by generated code, so that a runtime older than the generator does not
// compile. It stays for the whole major version.
const AtLeast_v1_0 = true

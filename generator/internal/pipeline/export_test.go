package pipeline

// GenerateLoaded generates for loaded packages, so that several calls can share one load.
var GenerateLoaded = generate

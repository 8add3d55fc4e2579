package pipeline

// GenerateLoaded generates for packages that are loaded already: several calls can share one load.
var GenerateLoaded = generate

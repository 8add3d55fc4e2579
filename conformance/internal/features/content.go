package features

import (
	_ "embed" // for the media
	"errors"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// redPixel is a picture of one red pixel.
//
//go:embed media/red.png
var redPixel []byte

// shortTone is a tenth of a second of the concert pitch.
//
//go:embed media/tone.wav
var shortTone []byte

// simpleText returns a text.
//
//mcp:tool
func simpleText() string {
	return "This is a simple text response for testing."
}

// imageContent returns a picture.
//
//mcp:tool mime=image/png
func imageContent() []byte { return redPixel }

// audioContent returns a sound.
//
//mcp:tool mime=audio/wav
func audioContent() []byte { return shortTone }

// embeddedResource returns a resource with its content.
//
//mcp:tool
func embeddedResource() mcp.Content {
	return mcp.EmbeddedResource{
		URI: "test://embedded-resource", MIMEType: "text/plain",
		Text: "This is an embedded resource content.",
	}
}

// multipleContentTypes returns a text, a picture and a resource.
//
//mcp:tool
func multipleContentTypes() []mcp.Content {
	return []mcp.Content{
		mcp.Text{Text: "Multiple content types test:"},
		mcp.Image{Data: redPixel, MIMEType: "image/png"},
		mcp.EmbeddedResource{
			URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`,
		},
	}
}

// errorHandling always fails.
//
//mcp:tool
func errorHandling() error {
	return errors.New("this tool intentionally returns an error for testing")
}

// xMCPHeader returns the region, which a client also sends as the header field Mcp-Param-Region.
//
//mcp:tool
//mcp:arg region header=Region
func xMCPHeader(
	region string, // name of a region
) string {
	return "The region is " + region + "."
}

package mcp

import (
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// blobResult returns data as a result: an [Image], an [Audio], or else an [EmbeddedResource], with
// text if the MIME type is a text type. It returns nil for nil data, which means that the tool
// found nothing.
func blobResult(req *Request, mime string, data []byte) *ToolResult {
	if data == nil {
		return nothingFound()
	}
	return ContentResult(blobContent(req.Name, mime, data))
}

// readerResult is like blobResult for bytes that are yet to be read. It limits them to the size of
// a result, and closes r if r is an io.Closer.
func readerResult(req *Request, mime string, r io.Reader) (result *ToolResult, err error) {
	if r == nil {
		return nothingFound(), nil
	}
	if c, ok := r.(io.Closer); ok {
		defer func() {
			if closed := c.Close(); closed != nil && err == nil {
				result, err = nil, fmt.Errorf("close result: %w", closed)
			}
		}()
	}
	limit := req.maxResult()
	most := base64.StdEncoding.DecodedLen(limit)
	if isText(mime) {
		most = limit
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(min(most, math.MaxInt-1))+1))
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	if len(data) > most {
		return nil, &tooLarge{limit: limit}
	}
	return ContentResult(blobContent(req.Name, mime, bytesOf(data))), nil
}

func blobContent(name, mime string, data []byte) Content {
	switch {
	case strings.HasPrefix(mime, "image/"):
		return Image{Data: data, MIMEType: mime}
	case strings.HasPrefix(mime, "audio/"):
		return Audio{Data: data, MIMEType: mime}
	case isText(mime) && utf8.Valid(data):
		return EmbeddedResource{URI: "attachment:" + name, MIMEType: mime, Text: string(data)}
	}
	return EmbeddedResource{URI: "attachment:" + name, MIMEType: mime, Blob: data}
}

// isText reports whether bytes of a MIME type are text.
func isText(mime string) bool {
	kind, _, _ := strings.Cut(mime, ";")
	kind = strings.TrimSpace(strings.ToLower(kind))
	switch {
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "+xml"):
		return true
	}
	return kind == "application/json" || kind == "application/xml"
}

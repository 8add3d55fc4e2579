package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// maxRevisions is the size limit of a file that mcpclient.FileEras reads.
const maxRevisions = 4 << 20

// CheckRevisions returns the reason why a file that [mcpclient.FileEras] keeps cannot be used,
// since the store itself only ignores it. A missing file is valid.
func CheckRevisions(path string) error {
	data, err := regularfile.ReadWithin(path, maxRevisions)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var file struct {
		Format  string                     `json:"format"`
		Servers map[string]json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if file.Format == "" || file.Servers == nil {
		return fmt.Errorf("%s: the file has another form", path)
	}
	return nil
}

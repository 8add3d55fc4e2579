// Package regularfile reads source files from untrusted repositories: a device, a pipe or a link to
// one in place of a file is an error, so that reading always ends.
package regularfile

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxBytes limits the size of a file for [Read]. Generated files of whole API packages have about
// 15 MB.
const maxBytes = 256 << 20

// Read is [os.ReadFile] for regular files, and links to them, of at most 256 MiB. It does not wait
// for the writer of a pipe. Errors are of type [*fs.PathError].
func Read(name string) ([]byte, error) { return ReadWithin(name, maxBytes) }

// ReadWithin is like [Read] for files of at most most bytes.
func ReadWithin(name string, most int64) ([]byte, error) {
	data, err := ReadStart(name, most+1)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("larger than %d bytes", most)}
	}
	return data, nil
}

// ReadStart is like [Read] for the first most bytes of a file.
func ReadStart(name string, most int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|FlagNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the file was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("not a regular file (%s)", kind(info.Mode()))}
	}
	// A file may be longer than its size, as those of /proc are. ReadFrom needs MinRead bytes to
	// find the end.
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), most)+bytes.MinRead))
	_, err = data.ReadFrom(io.LimitReader(f, most))
	return data.Bytes(), err
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return mode.Type().String()
}

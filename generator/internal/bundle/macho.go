package bundle

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
)

// fatAlign is the exponent of the alignment of a program in a universal file. Pages of macOS on
// ARM have 16 KiB.
const fatAlign = 14

// Universal joins programs for macOS into one file that runs on the architecture of each. The
// header has the form of <mach-o/fat.h>, in big-endian numbers: a magic number, the number of
// programs, and for each one its processor, subtype, offset, size and alignment. Programs stay
// unchanged, with the signatures that the linker added.
func Universal(programs ...[]byte) ([]byte, error) {
	const headerSize, entrySize = 8, 20
	at := headerSize + entrySize*len(programs)
	header := binary.BigEndian.AppendUint32(nil, macho.MagicFat)
	header = binary.BigEndian.AppendUint32(header, uint32(len(programs)))
	var body []byte
	seen := map[macho.Cpu]bool{}
	for _, p := range programs {
		file, err := macho.NewFile(bytes.NewReader(p))
		if err != nil {
			return nil, fmt.Errorf("read program for macOS: %w", err)
		}
		if seen[file.Cpu] {
			return nil, fmt.Errorf("two programs for macOS are for %v", file.Cpu)
		}
		seen[file.Cpu] = true
		padding := -(at + len(body)) & (1<<fatAlign - 1)
		body = append(body, make([]byte, padding)...)
		offset := at + len(body)
		if uint64(offset)+uint64(len(p)) > 1<<32-1 {
			return nil, errors.New("the programs for macOS have more than 4 GiB, which the header cannot express")
		}
		for _, n := range []uint32{uint32(file.Cpu), file.SubCpu, uint32(offset), uint32(len(p)), fatAlign} {
			header = binary.BigEndian.AppendUint32(header, n)
		}
		body = append(body, p...)
	}
	return append(header, body...), nil
}

//go:build profile && unix

package profile

import (
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"syscall"
)

func init() {
	path := os.Getenv("BENCH_PROFILE")
	if path == "" {
		return
	}
	// Recording allocations takes time.
	if runtime.MemProfileRate = 0; os.Getenv("BENCH_ALLOCS") != "" {
		runtime.MemProfileRate = 4 << 10
	}
	cpu := create(path + ".cpu")
	if err := pprof.StartCPUProfile(cpu); err != nil {
		log.Fatal(err)
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGUSR1)
	go func() {
		<-end
		pprof.StopCPUProfile()
		_ = cpu.Close()
		mem := create(path + ".mem")
		if err := pprof.Lookup("allocs").WriteTo(mem, 0); err != nil {
			log.Print(err)
		}
		_ = mem.Close()
		os.Exit(0)
	}()
}

func create(name string) *os.File {
	f, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// Command controllers runs Karpenter with its provider for KWOK, whose nodes are fake, or Kueue. They are one program,
// because they share most packages, and a package takes long to compile. It ends when its standard input ends, so that it
// does not outlive the process that started it. The first argument objects prints the custom resources of Karpenter.
package main

import (
	"fmt"
	"io"
	"os"
)

var parts = map[string]func(){"karpenter": karpenter, "kueue": kueue, "objects": printObjects}

func main() {
	if len(os.Args) < 2 || parts[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: controllers karpenter|kueue|objects [flags]")
		os.Exit(2)
	}
	part := os.Args[1]
	os.Args = append([]string{part}, os.Args[2:]...)
	if part != "objects" {
		go endWithInput()
	}
	parts[part]()
}

func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

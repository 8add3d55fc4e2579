package main

import (
	"encoding/json"
	"strings"
	"time"
)

// descriptor refers to a blob of an image.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *imagePlatform    `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type imagePlatform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

const (
	mediaIndex    = "application/vnd.oci.image.index.v1+json"
	mediaManifest = "application/vnd.oci.image.manifest.v1+json"
	mediaConfig   = "application/vnd.oci.image.config.v1+json"
	mediaLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// imageLabels describe the image, as annotations and as labels of its configuration.
func imageLabels(version string) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title": "mcpgen", "org.opencontainers.image.version": strings.TrimPrefix(version, "v"),
		"org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.source": "https://github.com/mcpgen/mcpgen",
	}
}

// ociImage returns a container image for the architectures of Linux among the programs, as a tar
// archive in the layout of OCI images, which skopeo, podman and docker load. It contains the
// command alone.
func ociImage(version string, programs map[platform][]byte, date time.Time) ([]byte, error) {
	files := []file{{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)}}
	blob := func(mediaType string, data []byte) descriptor {
		sum := hash(data)
		files = append(files, file{"blobs/sha256/" + sum, 0o644, data})
		return descriptor{MediaType: mediaType, Digest: "sha256:" + sum, Size: len(data)}
	}
	var manifests []descriptor
	for _, p := range platforms {
		program, ok := programs[p]
		if !ok || p.os != "linux" {
			continue
		}
		members := []file{{"mcpgen", 0o755, program}}
		plain, err := tarred(members, date)
		if err != nil {
			return nil, err
		}
		layer, err := tarball(members, date)
		if err != nil {
			return nil, err
		}
		config, err := json.Marshal(map[string]any{
			"created": date.Format(time.RFC3339), "architecture": p.arch, "os": p.os,
			"config": map[string]any{"Entrypoint": []string{"/mcpgen"}, "Labels": imageLabels(version)},
			"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hash(plain)}},
		})
		if err != nil {
			return nil, err
		}
		manifest, err := json.Marshal(map[string]any{
			"schemaVersion": 2, "mediaType": mediaManifest, "config": blob(mediaConfig, config),
			"layers": []descriptor{blob(mediaLayer, layer)}, "annotations": imageLabels(version),
		})
		if err != nil {
			return nil, err
		}
		d := blob(mediaManifest, manifest)
		d.Platform = &imagePlatform{Architecture: p.arch, OS: p.os}
		manifests = append(manifests, d)
	}
	if manifests == nil {
		manifests = []descriptor{}
	}
	all, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": mediaIndex, "manifests": manifests, "annotations": imageLabels(version)})
	if err != nil {
		return nil, err
	}
	// The index of the layout refers to the image by its tag.
	image := blob(mediaIndex, all)
	image.Annotations = map[string]string{"org.opencontainers.image.ref.name": strings.TrimPrefix(version, "v")}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": mediaIndex, "manifests": []descriptor{image}})
	if err != nil {
		return nil, err
	}
	return tarred(append(files, file{"index.json", 0o644, index}), date)
}

# The images, for both platforms: VERSION=1.2.3 REVISION=$(git rev-parse HEAD) docker buildx bake
# One platform, into the local engine: docker buildx bake production --set '*.platform=linux/amd64' --load

variable "IMAGE" {
  default = "store-sync"
}

variable "VERSION" {
  default = "0.0.0-dev"
}

variable "REVISION" {
  default = "unknown"
}

group "default" {
  targets = ["production", "full"]
}

target "base" {
  context    = "."
  dockerfile = "Dockerfile"
  platforms  = ["linux/amd64", "linux/arm64"]
  args = {
    VERSION  = VERSION
    REVISION = REVISION
  }
}

target "production" {
  inherits = ["base"]
  target   = "production"
  tags     = ["${IMAGE}:${VERSION}", "${IMAGE}:latest"]
}

target "full" {
  inherits = ["base"]
  target   = "full"
  tags     = ["${IMAGE}:${VERSION}-full"]
}

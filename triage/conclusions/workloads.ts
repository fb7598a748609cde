import { showEndedRun } from "./common-steps";
import type { KnownCauses } from "./entry";

/**
 * Faults of programs that use GPUs: their images, their arguments, their models. The first pattern that matches decides.
 *
 * @see https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html cudaError_t
 * @see https://github.com/vllm-project/vllm/blob/v0.11.0/vllm/envs.py https://github.com/vllm-project/vllm/blob/v0.11.0/vllm/config
 * @see https://github.com/vllm-project/vllm/blob/v0.11.0/vllm/v1/core/kv_cache_utils.py
 * @see https://github.com/huggingface/huggingface_hub/blob/v0.36.0/src/huggingface_hub/errors.py
 * @see https://github.com/NVIDIA/nccl/blob/v2.28.3-1/src/misc/shmutils.cc
 */
export const workloads = {
  "shared-gpu-request": {
    pattern: /maximum request size for shared resources/i,
    what: "The GPUs of the node are shared, and the device plugin rejects requests for more than 1 share (failRequestsGreaterThanOne). More shares would not give the pod more of a GPU.",
    next: "Show the request. Set it to 1, or use nodes without time slicing; then create the pod again => kubectl get {pod} -o jsonpath='{.spec.containers[*].resources.limits}'",
  },
  "cuda-newer-than-driver": {
    pattern:
      /unsatisfied condition: (?:cuda|driver)|CUDA driver version is insufficient|NVIDIA driver on your system is too old|forward compatibility was attempted on non supported HW|PTX was compiled with an unsupported toolchain/i,
    what: "The image needs a newer driver than the node has: its CUDA version is newer than the driver supports.",
    next: "Show the driver and the CUDA version that it supports. Then use an image with this CUDA version or an older one, or a newer AMI => {smi}",
  },
  "cuda-driver-mismatch": {
    pattern: /unsupported display driver|SYSTEM_DRIVER_MISMATCH|SystemDriverMismatch|\berror 803\b/i,
    what: "The image loads a CUDA driver library that does not fit the driver of the node (error 803): usually the image's own compat library (libcuda.so) hides the library of the node.",
    next: [
      "Show the variables of the pod. Remove /usr/local/cuda/compat from LD_LIBRARY_PATH, or use an image for the driver => kubectl get {pod} -o jsonpath='{.spec.containers[*].env}'",
      "Show the driver of the node => {smi}",
    ],
  },
  "gpu-arch-unsupported": {
    pattern:
      /no kernel image is available|is not compatible with the current PyTorch installation|Minimum capability: \d+\. Current capability|requires? (?:a GPU with )?compute capability|only supports? \w+ GPUs or newer|not supported in this architecture|quantization (?:method .{1,60}|scheme) is not supported for the current GPU/i,
    what: "The image, the data type or the quantization does not support this GPU: its compute capability is too low, or too new for the image. FlashAttention needs 8.0 (not T4 or V100); FP8 needs 8.9.",
    next: "Show the GPU. Then choose another instance type, another data type, other weights, or an image that is built for the GPU => {smi}",
  },
  "gpu-memory-too-small": {
    rank: 2,
    isGpuMemory: true,
    pattern:
      /CUDA(?: error:)? out of memory|CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|(?:torch|cuda)\S*OutOfMemoryError|CU(?:BLAS|DNN)_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED)|failed to allocate .*(?:VRAM|GPU memory)/i,
    what: "The program needs more GPU memory than is free: the model is too large for the GPU, or another process already uses the GPU (a shared GPU, or a pod that has not ended).",
    next: [
      "Show the memory of the GPU and the processes that use it => {smi}",
      showEndedRun(
        "Then use a larger GPU or another one, a quantized model, tensor parallelism, or a lower --gpu-memory-utilization",
      ),
    ],
  },
  "gpu-count-too-low": {
    pattern:
      /invalid device ordinal|(?:is|cannot be) larger than the number of available GPUs|local_world_size \(\d+\) must be less than|less than (?:than )?max local gpu count|not enough cuda devices|(?:tensor|pipeline) parallel size \S+ (?:must be|cannot be|is) (?:less|larger|greater).*(?:GPU|device|world)/i,
    what: "The program wants to use more GPUs than its pod has: the tensor parallel size, or a device number, exceeds the limit nvidia.com/gpu of the container.",
    next: "Show the limits. Then make nvidia.com/gpu equal to --tensor-parallel-size => kubectl get {pod} -o jsonpath='{.spec.containers[*].resources}'",
  },
  "gpu-not-visible": {
    atMost: "likely",
    pattern:
      /No CUDA GPUs are available|no CUDA-capable device|Found no NVIDIA driver|Failed to infer device type|Device string must not be empty|running on UnspecifiedPlatform|libcuda\.so\S* cannot open|CUDA_ERROR_NO_DEVICE|cudaErrorNoDevice|could not select device driver/i,
    what: "The program sees no GPU in its container: the container has no limit nvidia.com/gpu, it does not run with the NVIDIA runtime (runtimeClassName), or CUDA_VISIBLE_DEVICES or LD_LIBRARY_PATH of the image hides the GPU.",
    next: [
      "Show what the containers request => kubectl get {pod} -o jsonpath='{.spec.containers[*].resources}'",
      "Show its runtime class and variables => kubectl get {pod} -o jsonpath='{.spec.runtimeClassName} {.spec.containers[*].env}'",
    ],
  },
  "cuda-unknown-error": {
    atMost: "likely",
    pattern:
      /\berror 999\b|CUDA unknown error|CUDA error: unknown error|CUDA_ERROR_UNKNOWN|cudaErrorUnknown|devices are busy or unavailable|CUDA\w* initialization error/i,
    what: "CUDA cannot start in the container although the driver is loaded: the module nvidia_uvm or its device files are missing, the driver was changed while pods ran, or another process holds the GPU exclusively.",
    next: [
      "Check the device files on the node => {shell}lsmod | grep nvidia_uvm; ls -l /dev/nvidia*; nvidia-smi -q -d COMPUTE",
      "Create the pod again. If the error stays, reboot or replace the node =!> kubectl delete {pod}",
    ],
  },
  "service-variable-collision": {
    pattern:
      /tcp:\/\/(?:\d+\.){3}\d+(?::\d+)?\b.*(?:URI|valid|invalid|pars|int|must be)|(?:invalid|pars|valueerror|int\().*tcp:\/\/(?:\d+\.){3}\d+/i,
    what: "The program reads a variable that Kubernetes sets for a Service of the namespace: a Service named vllm sets VLLM_PORT=tcp://… in every new pod.",
    next: "Show the Services of the namespace. Rename the Service, or set enableServiceLinks: false in the pod's spec => kubectl -n {namespace} get services",
  },
  "model-access-denied": {
    rank: 2,
    pattern:
      /(?:401|403)(?: Client Error| Forbidden| Unauthorized)?.*(?:huggingface|hf\.co|repo|model)|(?:AccessDenied|Forbidden|\(403\)).*(?:GetObject|HeadObject|ListObjects)|NoCredentialsError|Unable to locate credentials|not authorized to perform: (?:s3|sts):|NGC.*(?:401|403|unauthorized)/i,
    what: "The program is not allowed to read its model: the token (HF_TOKEN, or the NGC key) is missing or has no access, or the pod's role is not allowed to read the bucket.",
    next: [
      "Check that the pod gets a token, and that its account has accepted the licence on the model's page => kubectl get {pod} -o jsonpath='{.spec.containers[*].env[*].name} {.spec.containers[*].envFrom} {.spec.serviceAccountName}'",
      showEndedRun("It names the model"),
    ],
  },
  "model-not-reachable": {
    rank: 2,
    atMost: "likely",
    pattern:
      /couldn't connect to \W*https?:\/\/huggingface|LocalEntryNotFoundError|(?:failed to resolve|name resolution|max retries exceeded|timed out|connect).*(?:huggingface\.co|hf\.co|s3[\w.-]*\.amazonaws\.com|nvidia\.com)|An error happened while trying to locate the files? on the Hub|HfHubHTTPError: 5\d\d/i,
    what: "The program cannot load its model: the pod cannot reach the registry of models (no route to the internet, DNS, a proxy, a network policy), or the registry fails.",
    next: showEndedRun("It names the model and the address"),
  },
  "serving-arguments": {
    pattern: /unrecognized arguments|error: argument -|invalid tool call parser|Tokenizer class \w+ does not exist/i,
    what: "The server rejects its arguments: they do not fit the model, or this version of the server does not know the argument or the model.",
    next: showEndedRun("It names the argument. Then change it, or use another version of the image"),
  },
  "shared-memory-too-small": {
    pattern:
      /shm\S*.*no space left|no space left.*\/dev\/shm|creating shared memory segment|unable to (?:mmap|open shared memory|allocate shared memory|resize|write to file|open file)\b.*\/torch_|failed to extend \/dev\/shm\/nccl|insufficient shared memory|out of shared memory|(?<!PCIe )\bbus error\b|\bSIGBUS\b|shm-size/i,
    what: "The shared memory of the container is too small: containerd gives a container 64 MiB of /dev/shm, and NCCL and the workers of PyTorch need more. The disk of the node is not full.",
    next: "Show the volumes of the pod. Mount an emptyDir with medium: Memory at /dev/shm; it counts toward the memory limit => kubectl get {pod} -o jsonpath='{.spec.volumes}'",
  },
  "model-volume-full": {
    atMost: "likely",
    pattern:
      /(?:no space left on device|disk quota exceeded).*(?:huggingface|\.cache\/|models?\b|\.incomplete|safetensors)|CAS service.*no space left|Not enough free disk space to download/i,
    what: "The files of the model do not fit: the volume where the program stores them, or the disk of the node under the container, is full.",
    next: [
      "Show the volumes of the pod, and where it stores models (HF_HOME). Mount a larger volume there, or raise the limit of its emptyDir => kubectl get {pod} -o jsonpath='{.spec.volumes} {.spec.containers[*].volumeMounts}'",
      "Show what is left on the disk of the node => {shell}df -h",
    ],
  },
  "file-permission-denied": {
    atMost: "likely",
    pattern: /PermissionError: \[Errno 13\]|permission denied: ['"]|Errno 30\]|Read-only file system: ['"]/i,
    what: "The user of the container is not allowed to write to a path that the program uses: the image runs as another user, or its file system is read-only.",
    next: "Show the users and the volumes. Then mount a volume at the path (fsGroup makes it writable), or set HOME or HF_HOME to a writable path => kubectl get {pod} -o jsonpath='{.spec.securityContext} {.spec.containers[*].securityContext} {.spec.containers[*].volumeMounts}'",
  },
  "port-in-use": {
    atMost: "likely",
    pattern: /address already in use|EADDRINUSE|Errno 98\]/i,
    what: "The port of the program is already taken: two containers of the pod use the same port, or a pod with hostNetwork shares it with other pods on its node.",
    next: "Show the ports of the pod => kubectl get {pod} -o jsonpath='{.spec.hostNetwork} {.spec.containers[*].ports} {.spec.containers[*].args}'",
  },
  "image-architecture": {
    pattern: /exec format error/i,
    what: "The image is built for a different CPU architecture than the node has (amd64, or arm64 as on g5g and GB200), or its entry point is not a program.",
    next: "Show the architecture of the node. Then use an image for it, or select other nodes with kubernetes.io/arch => kubectl get node {node} -L kubernetes.io/arch",
  },
  "image-libraries": {
    atMost: "likely",
    pattern:
      /undefined symbol: |(?:libcu(?:da)?(?:rt|dnn|blas|sparse)|libnccl(?!-net)|libtorch|libc10)\S* cannot open|version .(?:GLIBC|GLIBCXX|CXXABI)_|ModuleNotFoundError|ImportError: (?!libnvidia|libcuda\.)|Failed to find C compiler|Could not find nvcc|nvcc\W+(?:command )?not found|CUDA_HOME environment variable is not set|Python\.h: No such file|CUDNN_STATUS_(?:VERSION|SUBLIBRARY)|Couldn't instantiate the backend tokenizer|requires the \w+ library but it was not found|`tiktoken` is required/i,
    what: "The image lacks a library, a package or a compiler that the program needs, or contains a different version of it. The node and its driver are not the problem.",
    next: showEndedRun(
      "It names what is missing. Then use a complete image, such as one with the CUDA development tools",
    ),
  },
  "model-files-unusable": {
    rank: 2,
    atMost: "likely",
    pattern:
      /Can't load (?:the )?(?:image |feature )?(?:processor|extractor)|untagged enum \w+|PytorchStreamReader failed|chat template.*(?:must|not allowed|no longer)/i,
    what: "The program cannot use the files of the model: the tokenizer, its processor, its chat template or a checkpoint is incomplete, or the image is too old for their format.",
    next: showEndedRun("It names the file. Then download the model again, pass --tokenizer, or use a newer image"),
  },
  "cuda-program-fault": {
    atMost: "likely",
    pattern:
      /illegal memory access|device-side assert triggered|misaligned address|unspecified launch failure|CUDA_ERROR_(?:ILLEGAL_ADDRESS|LAUNCH_FAILED|ASSERT)/i,
    what: "The program made an invalid access on the GPU: usually a fault of the program or of a kernel in its image (XID 13, 31 or 43), rarely of the GPU.",
    next: "Try another version of the image, and CUDA_LAUNCH_BLOCKING=1 to find the call. If it fails on one node only, check the XID errors there => {shell}sudo dmesg -T | grep -i xid",
  },
  "efa-not-usable": {
    rank: 2,
    atMost: "likely",
    pattern: /NET\/OFI\b.*(?:fail|couldn't|error|unable|not found)|libfabric:.*(?:unable|cannot|error|fail)/i,
    what: "NCCL cannot use EFA in the container: the pod has too few EFA interfaces, the versions of EFA's libraries do not fit, or the security group does not allow all traffic of the group with itself.",
    next: [
      "Show the limits. A p5.48xlarge offers 32 EFA interfaces, and libfabric needs hugepages-2Mi => kubectl get {pod} -o jsonpath='{.spec.containers[*].resources.limits}'",
      "Show what the node offers => kubectl get node {node} -o jsonpath='{.status.allocatable}'",
    ],
  },
  "peer-not-reachable": {
    rank: 3,
    atMost: "likely",
    pattern:
      /DistNetworkError|connectFullMesh failed|Connection closed by (?:remote )?peer|NCCL WARN (?:Bootstrap|socket\w+|Net : )/i,
    what: "The processes of the program cannot reach each other: the first process is not running (yet) or has ended, its name, its port or NCCL_SOCKET_IFNAME is wrong, or a security group or network policy blocks the port.",
    next: [
      "Show the other pods. The first error of the pod that ended first is the cause => kubectl -n {namespace} get pods -o wide",
      "Check network policies => kubectl -n {namespace} get networkpolicies",
    ],
  },
  "nccl-error": {
    rank: 3,
    atMost: "possible",
    pattern:
      /ncclSystemError|ncclInternalError|ncclRemoteError|ncclUnhandledCudaError|ncclInvalidUsage|NCCL error|NCCL failure|NCCL WARN Error: network/i,
    what: "NCCL cannot connect the GPUs of the program: a port, a network device or the shared memory is missing, or one of the processes ended earlier.",
    next: showEndedRun("Look for the first error of any process. NCCL_DEBUG=INFO shows the reason"),
  },
} satisfies KnownCauses;

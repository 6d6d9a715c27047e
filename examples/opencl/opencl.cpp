// Devices and queues.
#include "opencl.h"

namespace ocl {

std::string name_of(cl_int status) {
  switch (status) {
    case CL_DEVICE_NOT_AVAILABLE: return "CL_DEVICE_NOT_AVAILABLE";
    case CL_COMPILER_NOT_AVAILABLE: return "CL_COMPILER_NOT_AVAILABLE";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES: return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY: return "CL_OUT_OF_HOST_MEMORY";
    case CL_BUILD_PROGRAM_FAILURE: return "CL_BUILD_PROGRAM_FAILURE";
    case CL_INVALID_VALUE: return "CL_INVALID_VALUE";
    default: return "OpenCL status " + std::to_string(status);
  }
}
void check(cl_int status, const char* call) {
  if (status != CL_SUCCESS) throw error(status, std::string(call) + ": found " + name_of(status) + ", wanted success");
}

namespace {

template <class T>
T fact(cl_device_id d, cl_device_info what) {
  T value{};
  // A device older than the question answers with an error, which leaves "no".
  clGetDeviceInfo(d, what, sizeof value, &value, nullptr);
  return value;
}
std::string text(cl_device_id d, cl_device_info what) {
  std::array<char, 1024> value{};
  clGetDeviceInfo(d, what, value.size() - 1, value.data(), nullptr);
  return value.data();
}

// One sentence, or nothing if the device will do.
std::string lack_of(cl_device_id d) {
  const auto svm = fact<cl_device_svm_capabilities>(d, CL_DEVICE_SVM_CAPABILITIES);
  if ((svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) == 0)
    return text(d, CL_DEVICE_NAME) + ": found no shared virtual memory, wanted it, since views are addresses";
  if (fact<cl_device_fp_config>(d, CL_DEVICE_DOUBLE_FP_CONFIG) == 0)
    return text(d, CL_DEVICE_NAME) + ": found no double precision, wanted it for sums and random numbers";
  return {};
}

struct all_devices {
  std::vector<std::unique_ptr<device>> usable;
  std::string why_none;
};

void add_platform(all_devices& to, cl_platform_id platform) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return;
  std::vector<cl_device_id> ids(count);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
  for (cl_device_id id : ids) {
    if (const std::string lack = lack_of(id); !lack.empty()) {
      to.why_none += (to.why_none.empty() ? "" : "; ") + lack;
      continue;
    }
    cl_int status = CL_SUCCESS;
    const cl_context context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &status);
    if (status != CL_SUCCESS) {
      to.why_none += text(id, CL_DEVICE_NAME) + ": clCreateContext: " + name_of(status);
      continue;
    }
    std::string identity;
    for (const int i : {CL_DEVICE_NAME, CL_DEVICE_VERSION, CL_DRIVER_VERSION})
      identity += text(id, static_cast<cl_device_info>(i)) + '\n';
    const bool is_cpu = (fact<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    const auto largest = fact<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    device& made = *to.usable.emplace_back(std::make_unique<device>(id, context, identity, is_cpu, largest));
    made.queue = make_queue(made);
  }
}

const all_devices& found() {
  // Never destroyed: tensors are released until the process ends.
  static const all_devices& all = *[] {
    auto* const made = new all_devices;
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) {
      made->why_none = "found no OpenCL platform, wanted one, such as that of the package pocl-opencl-icd";
      return made;
    }
    std::vector<cl_platform_id> platforms(count);
    clGetPlatformIDs(count, platforms.data(), nullptr);
    for (cl_platform_id p : platforms) add_platform(*made, p);
    if (made->usable.empty() && made->why_none.empty())
      made->why_none = "found no device on any OpenCL platform, wanted one";
    return made;
  }();
  return all;
}

}  // namespace

const std::vector<std::unique_ptr<device>>& devices() { return found().usable; }
std::string why_none() { return found().why_none; }

cl_command_queue make_queue(device& d) {
  // Times of events are asked of any stream.
  const std::array<cl_queue_properties, 3> properties{CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int status = CL_SUCCESS;
  const cl_command_queue made = clCreateCommandQueueWithProperties(d.context, d.id, properties.data(), &status);
  check(status, "clCreateCommandQueueWithProperties");
  const std::lock_guard lock(d.mutex);
  d.queues.push_back(made);
  return made;
}
cl_command_queue queue_of(device& d, void* stream) {
  return stream != nullptr ? static_cast<cl_command_queue>(stream) : d.queue;
}
void finish(device& d) {
  std::vector<cl_command_queue> queues;
  {
    const std::lock_guard lock(d.mutex);
    queues = d.queues;
  }
  for (cl_command_queue q : queues) check(clFinish(q), "clFinish");
}

void start(kernel& k, cl_command_queue q, const void* numbers, std::size_t bytes,
           const std::array<const void*, 4>& addresses, std::array<std::size_t, 2> global,
           std::array<std::size_t, 2> local) {
  for (std::size_t i = 0; i < 2; ++i) global[i] = (global[i] + local[i] - 1) / local[i] * local[i];
  const std::lock_guard lock(k.mutex);
  check(clSetKernelArg(k.handle, 0, bytes, numbers), "clSetKernelArg");
  for (cl_uint i = 0; i < addresses.size(); ++i)
    check(clSetKernelArgSVMPointer(k.handle, i + 1, flipped(addresses[i])), "clSetKernelArgSVMPointer");
  check(clEnqueueNDRangeKernel(q, k.handle, 2, nullptr, global.data(), local.data(), 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
}

}  // namespace ocl
